//! HTTP/1.1 over sockets, with both servers.

use gym_telemetry_conventions::RequestPhase::{BeforeResponseStart, ResponseStarted};
use gym_telemetry_tower::RouteTemplates;
use tower::Layer as _;

use crate::support::{Kind, Observed, Raw, Server, Zoo};

/// The zoo behind the layer, its routes registered.
async fn start(kind: Kind) -> (Observed, Zoo, Server) {
    let (observed, zoo) = (Observed::new(), Zoo::new());
    let routes = RouteTemplates::new(["/wait", "/stream", "/flood", "/short", "/steps"]).unwrap();
    let server = Server::start(kind, observed.layer().routes(routes).layer(zoo.router())).await;
    (observed, zoo, server)
}

/// Route, phase and number of the only cancellations.
fn cancelled(observed: &Observed) -> Vec<(String, &'static str, u64)> {
    let cancelled = observed.seen().cancelled;
    cancelled.into_iter().map(|entry| (entry.route, entry.phase.as_str(), entry.count)).collect()
}

fn once(route: &str, phase: &'static str) -> Vec<(String, &'static str, u64)> {
    vec![(route.to_owned(), phase, 1)]
}

#[tokio::test]
async fn a_response_counts_and_so_does_each_on_a_connection_that_is_kept() {
    for kind in Kind::BOTH {
        let (observed, _zoo, server) = start(kind).await;
        let mut client = Raw::connect(server.address).await;
        for path in ["/items/1", "/items/2", "/nowhere"] {
            client.send(&format!("GET {path} HTTP/1.1\r\nhost: test\r\n\r\n")).await;
            client.read_head().await;
        }
        let seen = observed.settled(3).await;
        assert_eq!((seen.responses[&200], seen.responses[&404]), (2, 1));
        assert_eq!(seen.cancelled, []);
    }
}

#[tokio::test]
async fn pipelined_requests_count_each_for_itself() {
    for kind in Kind::BOTH {
        let (observed, _zoo, server) = start(kind).await;
        let mut client = Raw::connect(server.address).await;
        client.send(&"GET /items/1 HTTP/1.1\r\nhost: test\r\n\r\n".repeat(20)).await;
        for _ in 0..20 {
            client.read_until("an item").await;
        }
        assert_eq!(observed.settled(20).await.responses[&200], 20);
    }
}

#[tokio::test]
async fn r01_r17_a_client_that_leaves_before_the_head_drops_the_handler_and_is_a_cancellation() {
    for kind in Kind::BOTH {
        let (observed, zoo, server) = start(kind).await;
        let client = Raw::request(server.address, "GET", "/wait?a=b").await;
        zoo.entered().await;
        assert_eq!(observed.seen().in_flight, 1);
        drop(client);
        zoo.left().await;
        let seen = observed.settled(1).await;
        assert_eq!(seen.responses_total(), 0);
        assert_eq!(cancelled(&observed), once("/wait", BeforeResponseStart.as_str()));
    }
}

#[tokio::test]
async fn r01_so_is_one_that_resets_the_connection() {
    for kind in Kind::BOTH {
        let (observed, zoo, server) = start(kind).await;
        let client = Raw::request(server.address, "GET", "/ng-rollout/7-1/wait").await;
        client.reset();
        // No such route without its prefix: the answer went into the void, or was not made.
        observed.settled(1).await;

        let client = Raw::request(server.address, "GET", "/wait").await;
        zoo.entered().await;
        client.reset();
        zoo.left().await;
        observed.settled(2).await;
        assert_eq!(cancelled(&observed), once("/wait", BeforeResponseStart.as_str()));
    }
}

#[tokio::test]
async fn a_client_that_closes_its_half_has_left_for_hyper() {
    for kind in Kind::BOTH {
        let (observed, zoo, server) = start(kind).await;
        let mut client = Raw::request(server.address, "GET", "/wait").await;
        zoo.entered().await;
        client.half_close().await;
        zoo.left().await;
        observed.settled(1).await;
        assert_eq!(cancelled(&observed), once("/wait", BeforeResponseStart.as_str()));
    }
}

#[tokio::test]
async fn a_client_that_leaves_in_the_middle_of_its_own_body_is_answered_in_vain() {
    for kind in Kind::BOTH {
        let (observed, _zoo, server) = start(kind).await;
        let mut client = Raw::connect(server.address).await;
        client.send("POST /echo HTTP/1.1\r\nhost: test\r\ncontent-length: 100\r\n\r\nhalf of it").await;
        observed.until("it has come", |seen| seen.received == 1).await;
        drop(client);
        // The handler is told that the body broke off, and answers: it is axum's response, whoever may read it.
        let seen = observed.settled(1).await;
        assert_eq!(seen.responses_total() + seen.cancelled_in(BeforeResponseStart), 1);
        assert_eq!(seen.unhandled, 0);
    }
}

#[tokio::test]
async fn a_body_that_nobody_reads_does_not_matter() {
    for kind in Kind::BOTH {
        let (observed, _zoo, server) = start(kind).await;
        let mut client = Raw::connect(server.address).await;
        client.send("POST /ignore HTTP/1.1\r\nhost: test\r\ncontent-length: 4\r\n\r\nbody").await;
        client.read_until("ignored").await;
        assert_eq!(observed.settled(1).await.responses[&200], 1);
    }
}

#[tokio::test]
async fn r02_a_stream_that_is_abandoned_is_a_response_and_a_cancellation() {
    for kind in Kind::BOTH {
        for path in ["/stream", "/flood"] {
            let (observed, _zoo, server) = start(kind).await;
            let mut client = Raw::request(server.address, "GET", path).await;
            client.read_until(".").await;
            assert_eq!(observed.seen().in_flight, 1);
            drop(client);
            let seen = observed.settled(1).await;
            assert_eq!(seen.responses[&200], 1);
            assert_eq!(cancelled(&observed), once(path, ResponseStarted.as_str()));
        }
    }
}

#[tokio::test]
async fn r03_a_stream_of_a_declared_length_is_finished_after_so_many_bytes() {
    for kind in Kind::BOTH {
        let (observed, _zoo, server) = start(kind).await;
        let mut client = Raw::request(server.address, "GET", "/sized").await;
        client.read_until("1234567890").await;
        let seen = observed.settled(1).await;
        assert_eq!((seen.responses[&200], seen.cancelled), (1, vec![]));
    }
}

#[tokio::test]
async fn r03_but_not_after_fewer() {
    for kind in Kind::BOTH {
        let (observed, _zoo, server) = start(kind).await;
        let mut client = Raw::request(server.address, "GET", "/short").await;
        client.read_until("12345").await;
        drop(client);
        observed.settled(1).await;
        assert_eq!(cancelled(&observed), once("/short", ResponseStarted.as_str()));
    }
}

#[tokio::test]
async fn r04_an_answer_without_a_body_is_finished_with_its_head() {
    for kind in Kind::BOTH {
        let (observed, _zoo, server) = start(kind).await;
        for (method, path) in [
            ("GET", "/status/204"),
            ("GET", "/status/304"),
            ("HEAD", "/items/1"),
            ("HEAD", "/flood"),
            ("HEAD", "/status/200"),
        ] {
            let mut client = Raw::request(server.address, method, path).await;
            client.read_head().await;
        }
        let seen = observed.settled(5).await;
        assert_eq!((seen.responses_total(), seen.cancelled), (5, vec![]));
    }
}

#[tokio::test]
async fn r08_a_panic_is_an_unhandled_exception_and_no_cancellation() {
    for kind in Kind::BOTH {
        let (observed, _zoo, server) = start(kind).await;
        Raw::request(server.address, "GET", "/panic").await.read_to_close().await;
        let seen = observed.settled(1).await;
        assert_eq!((seen.unhandled, seen.responses_total(), seen.cancelled), (1, 0, vec![]));
    }
}

#[tokio::test]
async fn r08_r20_a_body_that_breaks_is_an_unhandled_exception_after_a_response() {
    for kind in Kind::BOTH {
        for path in ["/error-in-body", "/panic-in-body"] {
            let (observed, _zoo, server) = start(kind).await;
            Raw::request(server.address, "GET", path).await.read_to_close().await;
            let seen = observed.settled(1).await;
            assert_eq!((seen.body_failed, seen.unhandled, seen.responses[&200]), (1, 0, 1));
            assert_eq!(seen.cancelled, []);
            assert_eq!(observed.export().count("gym.server.requests.unhandled_exceptions_total", &[]), 1);
        }
    }
}

#[tokio::test]
async fn r09_a_burst_of_cancellations_leaves_nothing_in_flight() {
    for kind in Kind::BOTH {
        let (observed, zoo, server) = start(kind).await;
        let mut clients = Vec::new();
        for _ in 0..300 {
            clients.push(Raw::request(server.address, "GET", "/wait").await);
        }
        for _ in 0..300 {
            zoo.entered().await;
        }
        assert_eq!(observed.seen().in_flight, 300);
        drop(clients);
        let seen = observed.settled(300).await;
        assert_eq!(seen.cancelled_in(BeforeResponseStart), 300);
    }
}

#[tokio::test]
async fn r11_r17_an_upgrade_is_a_response_and_its_end_no_cancellation() {
    for kind in Kind::BOTH {
        let (observed, _zoo, server) = start(kind).await;
        let mut client = Raw::connect(server.address).await;
        client.send("GET /upgrade HTTP/1.1\r\nhost: test\r\nconnection: upgrade\r\nupgrade: twice\r\n\r\n").await;
        assert!(client.read_head().await.starts_with("HTTP/1.1 101"));
        assert_eq!(observed.settled(1).await.responses[&101], 1);
        client.send("abc").await;
        client.read_until("abcabc").await;
        drop(client);
        let mut another = Raw::request(server.address, "GET", "/items/1").await;
        another.read_until("an item").await;
        assert_eq!(observed.settled(2).await.cancelled, []);
    }
}

#[tokio::test]
async fn r12_five_streams_read_for_64_bytes_are_five_everywhere() {
    for kind in Kind::BOTH {
        let (observed, _zoo, server) = start(kind).await;
        for _ in 0..5 {
            let mut client = Raw::request(server.address, "GET", "/stream").await;
            client.read_until(&".".repeat(64)).await;
        }
        let seen = observed.settled(5).await;
        assert_eq!((seen.responses[&200], seen.cancelled_in(ResponseStarted)), (5, 5));
        let exported = observed.export();
        assert_eq!(exported.count("gym.server.responses_total", &["http.response.status_code=200"]), 5);
        assert_eq!(exported.count("gym.server.requests.cancelled_total", &["http.route=/stream"]), 5);
    }
}

#[tokio::test]
async fn r14_idle_connections_are_not_in_flight() {
    for kind in Kind::BOTH {
        let (observed, _zoo, server) = start(kind).await;
        let mut idle = Vec::new();
        for used in 0..100 {
            let mut client = Raw::connect(server.address).await;
            if used % 2 == 0 {
                client.send("GET /items/1 HTTP/1.1\r\nhost: test\r\n\r\n").await;
                client.read_until("an item").await;
            }
            idle.push(client);
        }
        assert_eq!(observed.settled(50).await.in_flight, 0);
    }
}

#[tokio::test]
async fn r16_a_stream_is_in_flight_to_its_last_frame() {
    for kind in Kind::BOTH {
        let (observed, zoo, server) = start(kind).await;
        let mut client = Raw::request(server.address, "GET", "/steps").await;
        client.read_head().await;
        for step in 1..=3 {
            assert_eq!(observed.seen().in_flight, 1);
            zoo.go_on();
            client.read_until(&format!("step {step};")).await;
        }
        client.read_until("0\r\n\r\n").await;
        assert_eq!(observed.settled(1).await.cancelled, []);
    }
}

#[tokio::test]
async fn trailers_pass_and_end_the_response() {
    for kind in Kind::BOTH {
        let (observed, _zoo, server) = start(kind).await;
        let mut client = Raw::connect(server.address).await;
        client.send("GET /trailers HTTP/1.1\r\nhost: test\r\nte: trailers\r\n\r\n").await;
        client.read_until("data").await;
        client.read_until("0\r\n").await;
        observed.settled(1).await;
        assert_eq!(observed.seen().cancelled, []);
    }
}

#[tokio::test]
async fn a_graceful_shutdown_lets_what_is_in_flight_end() {
    for kind in Kind::BOTH {
        let (observed, zoo, server) = start(kind).await;
        let mut client = Raw::request(server.address, "GET", "/wait").await;
        zoo.entered().await;
        let down = server.shut_down();
        zoo.go_on();
        client.read_until("waited").await;
        down.await.unwrap();
        let seen = observed.settled(1).await;
        assert_eq!((seen.responses[&200], seen.cancelled), (1, vec![]));
    }
}
