//! HTTP/2 over sockets, with both servers: many streams on one connection.

use bytes::Bytes;
use gym_telemetry_conventions::RequestPhase::{BeforeResponseStart, ResponseStarted};
use gym_telemetry_tower::RouteTemplates;
use h2::{Reason, client::SendRequest};
use http::Request;
use tokio::net::TcpStream;
use tower::Layer as _;

use crate::support::{Kind, Observed, Server, Zoo};

async fn start(kind: Kind) -> (Observed, Zoo, Server, SendRequest<Bytes>) {
    let (observed, zoo) = (Observed::new(), Zoo::new());
    let routes = RouteTemplates::new(["/wait", "/stream", "/flood"]).unwrap();
    let server = Server::start(kind, observed.layer().routes(routes).layer(zoo.router())).await;
    let stream = TcpStream::connect(server.address).await.unwrap();
    let (client, connection) = h2::client::handshake(stream).await.unwrap();
    tokio::spawn(connection);
    (observed, zoo, server, client.ready().await.unwrap())
}

fn get(path: &str) -> Request<()> {
    Request::get(format!("http://test{path}")).body(()).unwrap()
}

#[tokio::test]
async fn streams_count_each_for_itself() {
    for kind in Kind::BOTH {
        let (observed, _zoo, _server, mut client) = start(kind).await;
        let mut answers = Vec::new();
        for _ in 0..50 {
            client = client.ready().await.unwrap();
            answers.push(client.send_request(get("/items/1"), true).unwrap().0);
        }
        for answer in answers {
            let mut body = answer.await.unwrap().into_body();
            while let Some(data) = body.data().await {
                data.unwrap();
            }
        }
        let seen = observed.settled(50).await;
        assert_eq!((seen.responses[&200], seen.cancelled), (50, vec![]));
    }
}

#[tokio::test]
async fn r01_a_stream_that_is_reset_before_the_head_is_a_cancellation_and_the_others_go_on() {
    for kind in Kind::BOTH {
        let (observed, zoo, _server, mut client) = start(kind).await;
        let (_first, mut reset) = client.send_request(get("/wait"), true).unwrap();
        zoo.entered().await;
        let (second, _) = client.send_request(get("/wait"), true).unwrap();
        zoo.entered().await;
        reset.send_reset(Reason::CANCEL);
        zoo.left().await;
        observed.until("one is left", |seen| seen.in_flight == 1).await;
        zoo.go_on();
        second.await.unwrap();
        let seen = observed.settled(2).await;
        assert_eq!((seen.cancelled_in(BeforeResponseStart), seen.responses[&200]), (1, 1));
        assert_eq!(seen.cancelled[0].route, "/wait");
    }
}

#[tokio::test]
async fn r02_a_stream_that_is_reset_midway_is_a_response_and_a_cancellation() {
    for kind in Kind::BOTH {
        for path in ["/stream", "/flood"] {
            let (observed, _zoo, _server, mut client) = start(kind).await;
            let (answer, _) = client.send_request(get(path), true).unwrap();
            let mut body = answer.await.unwrap().into_body();
            body.data().await.unwrap().unwrap();
            drop(body);
            let seen = observed.settled(1).await;
            assert_eq!((seen.responses[&200], seen.cancelled_in(ResponseStarted)), (1, 1));
            assert_eq!(seen.cancelled[0].route, path);
        }
    }
}

#[tokio::test]
async fn r09_a_connection_that_breaks_cancels_all_of_its_streams() {
    for kind in Kind::BOTH {
        let (observed, zoo, server, client) = start(kind).await;
        drop(client);
        let stream = TcpStream::connect(server.address).await.unwrap();
        let (client, connection) = h2::client::handshake(stream).await.unwrap();
        let connection = tokio::spawn(connection);
        let mut client = client.ready().await.unwrap();
        let mut waiting = Vec::new();
        for _ in 0..100 {
            client = client.ready().await.unwrap();
            waiting.push(client.send_request(get("/wait"), true).unwrap());
        }
        for _ in 0..100 {
            zoo.entered().await;
        }
        assert_eq!(observed.seen().in_flight, 100);
        connection.abort();
        assert_eq!(observed.settled(100).await.cancelled_in(BeforeResponseStart), 100);
    }
}

#[tokio::test]
async fn r04_an_answer_without_a_body_is_finished_with_its_head() {
    for kind in Kind::BOTH {
        let (observed, _zoo, _server, mut client) = start(kind).await;
        let head = Request::head("http://test/flood").body(()).unwrap();
        for request in [get("/status/204"), get("/status/304"), head] {
            client = client.ready().await.unwrap();
            client.send_request(request, true).unwrap().0.await.unwrap();
        }
        let seen = observed.settled(3).await;
        assert_eq!((seen.responses_total(), seen.cancelled), (3, vec![]));
    }
}

#[tokio::test]
async fn r08_r20_panics_and_errors_are_unhandled_exceptions() {
    for kind in Kind::BOTH {
        let (observed, _zoo, _server, mut client) = start(kind).await;
        client.send_request(get("/panic"), true).unwrap().0.await.unwrap_err();
        for path in ["/error-in-body", "/panic-in-body"] {
            client = client.ready().await.unwrap();
            // The reset may overtake the head.
            if let Ok(answer) = client.send_request(get(path), true).unwrap().0.await {
                let mut body = answer.into_body();
                while let Some(Ok(_)) = body.data().await {}
            }
        }
        let seen = observed.settled(3).await;
        assert_eq!((seen.unhandled, seen.body_failed, seen.responses[&200]), (1, 2, 2));
        assert_eq!(seen.cancelled, []);
    }
}

#[tokio::test]
async fn r17_trailers_pass() {
    for kind in Kind::BOTH {
        let (observed, _zoo, _server, mut client) = start(kind).await;
        let mut body = client.send_request(get("/trailers"), true).unwrap().0.await.unwrap().into_body();
        while let Some(data) = body.data().await {
            data.unwrap();
        }
        assert_eq!(body.trailers().await.unwrap().unwrap()["etag"], "a");
        assert_eq!(observed.settled(1).await.cancelled, []);
    }
}

#[tokio::test]
async fn a_request_body_that_breaks_off_is_no_panic_of_ours() {
    for kind in Kind::BOTH {
        let (observed, _zoo, _server, mut client) = start(kind).await;
        let request = Request::post("http://test/echo").body(()).unwrap();
        let (_answer, mut body) = client.send_request(request, false).unwrap();
        body.send_data(Bytes::from("half of it"), false).unwrap();
        observed.until("it has come", |seen| seen.received == 1).await;
        body.send_reset(Reason::CANCEL);
        let seen = observed.settled(1).await;
        assert_eq!(seen.responses_total() + seen.cancelled_in(BeforeResponseStart), 1);
    }
}
