//! Requests by the HTTP semantic conventions, over sockets.

use std::convert::Infallible;

use axum::body::Body;
use futures_util::FutureExt as _;
use gym_telemetry_core::HttpScheme;
use gym_telemetry_tower::{MeteredRouter, RouteTemplates};
use http::{Request, Response};
use tower::{Layer as _, Service as _, ServiceExt as _, service_fn};

use crate::support::{Exported, Kind, Observed, Raw, Server, Zoo};

const DURATION: &str = "http.server.request.duration";
const ACTIVE: &str = "http.server.active_requests";
const RECEIVED: &str = "http.server.request.body.size";
const SENT: &str = "http.server.response.body.size";

/// The zoo behind the layer, around the router, with everything counted.
async fn start(kind: Kind) -> (Observed, Zoo, Server) {
    let (observed, zoo) = (Observed::with_http(), Zoo::new());
    let routes = ["/items/{id}", "/wait", "/stream", "/echo", "/status/{status}", "/error-in-body", "/panic", "/steps"];
    let layer = observed.layer().routes(RouteTemplates::new(routes).unwrap()).count_request_bodies();
    let server = Server::start(kind, layer.layer(zoo.router())).await;
    (observed, zoo, server)
}

/// How many samples there are with these attributes in each of the histograms.
fn samples(exported: &Exported, attributes: &[&str]) -> [u64; 3] {
    [DURATION, RECEIVED, SENT].map(|metric| exported.count(metric, attributes))
}

#[tokio::test]
async fn a_request_is_a_sample_of_its_time_and_of_both_bodies_as_they_were_counted() {
    for kind in Kind::BOTH {
        let (observed, _zoo, server) = start(kind).await;
        let mut client = Raw::connect(server.address).await;
        // Sent in chunks: no head says how long either body is.
        client.send("POST /echo HTTP/1.1\r\nhost: test\r\ntransfer-encoding: chunked\r\n\r\n").await;
        client.send("5\r\n12345\r\n3\r\n678\r\n0\r\n\r\n").await;
        client.read_until("12345678").await;
        Raw::request(server.address, "GET", "/ng-rollout/7-1/items/1?a=b").await.read_head().await;
        observed.settled(2).await;

        let exported = observed.export();
        let post = [
            "http.request.method=POST",
            "http.route=/echo",
            "http.response.status_code=200",
            "url.scheme=http",
            "network.protocol.version=1.1",
        ];
        assert_eq!(samples(&exported, &post), [1; 3]);
        assert_eq!((exported.sum(RECEIVED, &post), exported.sum(SENT, &post)), (8.0, 8.0));
        assert!(exported.sum(DURATION, &post) > 0.0);
        // The zoo does not know the rollout's prefix, but the route is told without it.
        assert_eq!(samples(&exported, &["http.route=/items/{id}", "http.response.status_code=404"]), [1; 3]);
        assert!(exported.lacks(DURATION, "error.type"));
    }
}

#[tokio::test]
async fn how_a_request_ended_is_its_error_type_and_a_missing_response_has_no_status() {
    for kind in Kind::BOTH {
        let (observed, zoo, server) = start(kind).await;
        for path in ["/panic", "/error-in-body"] {
            Raw::request(server.address, "GET", path).await.read_to_close().await;
        }
        Raw::request(server.address, "HEAD", "/status/503").await.read_head().await;
        let client = Raw::request(server.address, "GET", "/wait").await;
        zoo.entered().await;
        drop(client);
        let mut client = Raw::request(server.address, "GET", "/stream").await;
        client.read_until(".").await;
        drop(client);
        observed.settled(5).await;

        let exported = observed.export();
        let ok = "http.response.status_code=200";
        for attributes in [
            &["http.route=/panic", "error.type=panic"][..],
            &["http.route=/error-in-body", "error.type=_OTHER", ok],
            &["http.route=/status/{status}", "error.type=503", "http.response.status_code=503"],
            &["http.route=/wait", "error.type=cancelled"],
            &["http.route=/stream", "error.type=cancelled", ok],
        ] {
            assert_eq!(samples(&exported, attributes), [1; 3], "{attributes:?}");
        }
        assert_eq!(exported.count(DURATION, &[ok]), 2);
        assert_eq!(exported.count(DURATION, &[]), 5);
        assert_eq!(exported.sum(SENT, &["http.route=/stream"]), 64.0);
    }
}

#[tokio::test]
async fn r12_r22_streams_are_active_to_their_end_and_then_the_series_is_zero() {
    for kind in Kind::BOTH {
        let (observed, _zoo, server) = start(kind).await;
        let get = ["http.request.method=GET", "url.scheme=http"];
        let mut clients = Vec::new();
        for _ in 0..5 {
            let mut client = Raw::request(server.address, "GET", "/stream").await;
            client.read_until(&".".repeat(64)).await;
            clients.push(client);
        }
        assert_eq!(observed.export().count(ACTIVE, &get), 5);
        drop(clients);
        observed.settled(5).await;
        let exported = observed.export();
        assert_eq!((exported.count(ACTIVE, &get), exported.series(ACTIVE)), (0, 1));
        assert_eq!(samples(&exported, &["http.route=/stream"]), [5; 3]);
    }
}

#[tokio::test]
async fn r16_the_time_goes_to_the_end_of_the_body() {
    let (observed, zoo, server) = start(Kind::Hyper).await;
    let mut client = Raw::request(server.address, "GET", "/steps").await;
    client.read_head().await;
    let began = std::time::Instant::now();
    for step in 1..=2 {
        zoo.go_on();
        client.read_until(&format!("step {step};")).await;
    }
    // The body has not ended yet, and the request came before its head.
    let streamed = began.elapsed().as_secs_f64();
    zoo.go_on();
    observed.settled(1).await;
    assert!(observed.export().sum(DURATION, &["http.route=/steps"]) >= streamed);
}

#[tokio::test]
async fn r06_methods_that_http_does_not_define_are_one() {
    let (observed, _zoo, server) = start(Kind::Axum).await;
    for method in ["FOO1", "FOO2", "get"] {
        Raw::request(server.address, method, "/items/1").await.read_head().await;
    }
    observed.settled(3).await;
    let other = ["http.request.method=_OTHER", "http.response.status_code=405", "http.route=/items/{id}"];
    assert_eq!(observed.export().count(DURATION, &other), 3);
    assert_eq!(observed.export().series(ACTIVE), 1);
}

#[tokio::test]
async fn the_scheme_is_the_uris_or_the_settings() {
    let observed = Observed::with_http();
    let answer = || service_fn(|_: Request<()>| async { Ok::<_, Infallible>(Response::new(Body::empty())) });
    let mut plain = observed.layer().layer(answer());
    let mut secure = observed.layer().scheme(HttpScheme::Https).layer(answer());
    for (uri, version) in [("/", http::Version::HTTP_11), ("http://a/", http::Version::HTTP_2)] {
        let request = || Request::get(uri).version(version).body(()).unwrap();
        drop(plain.call(request()).now_or_never());
        drop(secure.call(request()).now_or_never());
    }
    let exported = observed.export();
    let count = |scheme, version| exported.count(DURATION, &[scheme, version]);
    assert_eq!(count("url.scheme=http", "network.protocol.version=1.1"), 1);
    assert_eq!(count("url.scheme=https", "network.protocol.version=1.1"), 1);
    assert_eq!(count("url.scheme=http", "network.protocol.version=2"), 2);
}

#[tokio::test]
async fn inside_of_a_router_and_around_one_that_knows_its_routes() {
    let routes = || MeteredRouter::new().route("/echo/{id}", axum::routing::post(async |body: String| body));
    let (inside, around) = (Observed::with_http(), Observed::with_http());
    let request = || Request::post("/echo/7").body(Body::from("1234")).unwrap();
    let router = routes().into_router().layer(inside.layer().count_request_bodies_in_axum());
    axum::body::to_bytes(router.oneshot(request()).await.unwrap().into_body(), 10).await.unwrap();
    let service = routes().metered(around.layer()).unwrap();
    let response = service.oneshot(request()).await.unwrap();
    axum::body::to_bytes(Body::new(response.into_body()), 10).await.unwrap();
    for observed in [inside, around] {
        let exported = observed.export();
        assert_eq!(samples(&exported, &["http.route=/echo/{id}", "http.response.status_code=200"]), [1; 3]);
        assert_eq!((exported.sum(RECEIVED, &[]), exported.sum(SENT, &[])), (4.0, 4.0));
    }
}

#[tokio::test]
async fn without_the_switch_there_is_none_of_it() {
    let observed = Observed::new();
    let service = observed.layer().count_request_bodies().layer(Zoo::new().router());
    let response = service.oneshot(Request::post("/echo").body(Body::from("1234")).unwrap()).await.unwrap();
    axum::body::to_bytes(Body::new(response.into_body()), 10).await.unwrap();
    let exported = observed.export();
    assert_eq!([DURATION, ACTIVE, RECEIVED, SENT].map(|metric| exported.series(metric)), [0; 4]);
    assert_eq!(exported.count("gym.server.responses_total", &[]), 1);
}
