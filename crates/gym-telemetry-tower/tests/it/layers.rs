//! Other layers, outside and inside of ours.

use std::{convert::Infallible, time::Duration};

use axum::{Router, body::Body, error_handling::HandleErrorLayer, extract::Request, middleware, response::Response};
use gym_telemetry_conventions::RequestPhase::BeforeResponseStart;
use gym_telemetry_core::RequestSnapshot;
use http::{StatusCode, header};
use http_body_util::BodyExt as _;
use tower::{Layer, Service, ServiceBuilder, ServiceExt as _};
use tower_http::{
    catch_panic::CatchPanicLayer, compression::CompressionLayer, limit::RequestBodyLimitLayer, timeout::TimeoutLayer,
};

use crate::support::{Kind, Observed, Raw, Server, Zoo};

const SOON: Duration = Duration::from_millis(1);

/// Sends a request and reads what there is of the response; a panic ends it.
async fn ask<S, B>(service: S, request: Request) -> Option<(StatusCode, Vec<u8>)>
where
    S: Service<Request, Response = Response<B>, Error = Infallible> + Send + 'static,
    S::Future: Send,
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: std::fmt::Debug + Send,
{
    let asked = tokio::spawn(async move {
        let response = service.oneshot(request).await.unwrap();
        let status = response.status();
        let body = response.into_body().collect().await.ok()?.to_bytes();
        Some((status, body.to_vec()))
    });
    asked.await.ok().flatten()
}

fn get(path: &str) -> Request {
    Request::get(path).header(header::ACCEPT_ENCODING, "gzip").body(Body::empty()).unwrap()
}

fn is(seen: &RequestSnapshot, received: u64, status: u16, count: u64) {
    assert_eq!((seen.received, seen.in_flight), (received, 0), "{seen:?}");
    assert_eq!(seen.responses.get(&status).copied().unwrap_or_default(), count, "{seen:?}");
}

#[tokio::test]
async fn r19_a_timeout_outside_looks_like_a_client_that_left_and_one_inside_is_a_response() {
    let (outside, inside) = (Observed::new(), Observed::new());
    let timeout = || TimeoutLayer::with_status_code(StatusCode::GATEWAY_TIMEOUT, SOON);
    let service = timeout().layer(outside.layer().layer(Zoo::new().router()));
    assert_eq!(ask(service, get("/wait")).await.unwrap().0, StatusCode::GATEWAY_TIMEOUT);
    is(&outside.seen(), 1, 504, 0);
    assert_eq!(outside.seen().cancelled_in(BeforeResponseStart), 1);

    let service = inside.layer().layer(timeout().layer(Zoo::new().router()));
    assert_eq!(ask(service, get("/wait")).await.unwrap().0, StatusCode::GATEWAY_TIMEOUT);
    is(&inside.seen(), 1, 504, 1);
    assert_eq!(inside.seen().cancelled, []);
}

#[tokio::test]
async fn r19_a_timeout_inside_that_is_an_error_until_something_answers() {
    let observed = Observed::new();
    let answer = async |_: tower::BoxError| StatusCode::REQUEST_TIMEOUT;
    let inner = ServiceBuilder::new()
        .layer(HandleErrorLayer::new(answer))
        .layer(tower::timeout::TimeoutLayer::new(SOON))
        .service(Zoo::new().router());
    assert_eq!(ask(observed.layer().layer(inner), get("/wait")).await.unwrap().0, StatusCode::REQUEST_TIMEOUT);
    is(&observed.seen(), 1, 408, 1);

    // Without an answer, the error comes through the layer: an unhandled exception.
    let unanswered = Observed::new();
    let inner = tower::timeout::Timeout::new(Zoo::new().router(), SOON);
    let service = unanswered.layer().layer(inner);
    assert!(service.oneshot(get("/wait")).await.is_err());
    is(&unanswered.seen(), 1, 408, 0);
    assert_eq!(unanswered.seen().unhandled, 1);
}

#[tokio::test]
async fn r08_a_panic_that_is_caught_inside_is_a_500_and_outside_an_unhandled_exception() {
    let (outside, inside, neither) = (Observed::new(), Observed::new(), Observed::new());
    let service = CatchPanicLayer::new().layer(outside.layer().layer(Zoo::new().router()));
    assert_eq!(ask(service, get("/panic")).await.unwrap().0, StatusCode::INTERNAL_SERVER_ERROR);
    is(&outside.seen(), 1, 500, 0);
    assert_eq!((outside.seen().unhandled, outside.seen().cancelled), (1, vec![]));

    let service = inside.layer().layer(CatchPanicLayer::new().layer(Zoo::new().router()));
    assert_eq!(ask(service, get("/panic")).await.unwrap().0, StatusCode::INTERNAL_SERVER_ERROR);
    is(&inside.seen(), 1, 500, 1);
    assert_eq!((inside.seen().unhandled, inside.seen().cancelled), (0, vec![]));

    assert_eq!(ask(neither.layer().layer(Zoo::new().router()), get("/panic")).await, None);
    is(&neither.seen(), 1, 500, 0);
    assert_eq!((neither.seen().unhandled, neither.seen().cancelled), (1, vec![]));
}

#[tokio::test]
async fn r08_inside_of_a_router_a_panic_counts_once_as_well() {
    let observed = Observed::new();
    let router = Zoo::new().router().layer(observed.layer()).layer(CatchPanicLayer::new());
    assert_eq!(ask(router, get("/panic")).await.unwrap().0, StatusCode::INTERNAL_SERVER_ERROR);
    is(&observed.seen(), 1, 500, 0);
    assert_eq!((observed.seen().unhandled, observed.seen().cancelled), (1, vec![]));
}

#[tokio::test]
async fn compression_reads_to_the_end_whichever_way_round() {
    let (outside, inside) = (Observed::new(), Observed::new());
    let service = CompressionLayer::new().layer(outside.layer().layer(Zoo::new().router()));
    let (_, compressed) = ask(service, get("/trailers")).await.unwrap();
    let service = inside.layer().layer(CompressionLayer::new().layer(Zoo::new().router()));
    assert_eq!(ask(service, get("/trailers")).await.unwrap().1, compressed);
    for observed in [outside, inside] {
        is(&observed.seen(), 1, 200, 1);
        assert_eq!(observed.seen().cancelled, []);
    }
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused_inside_and_not_seen_outside() {
    let (outside, inside) = (Observed::new(), Observed::new());
    let request = || Request::post("/echo").header(header::CONTENT_LENGTH, 100).body(Body::from(vec![0; 100])).unwrap();
    let service = RequestBodyLimitLayer::new(10).layer(outside.layer().layer(Zoo::new().router()));
    assert_eq!(ask(service, request()).await.unwrap().0, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(outside.seen().received, 0);

    let service = inside.layer().layer(RequestBodyLimitLayer::new(10).layer(Zoo::new().router()));
    assert_eq!(ask(service, request()).await.unwrap().0, StatusCode::PAYLOAD_TOO_LARGE);
    is(&inside.seen(), 1, 413, 1);
}

#[tokio::test]
async fn functions_as_middleware_go_on_either_side() {
    let around = Observed::new();
    let touch = async |request: Request, next: middleware::Next| {
        let mut response = next.run(request).await;
        response.headers_mut().insert("touched", "yes".parse().unwrap());
        response
    };
    let refuse = async |_: Request, _: middleware::Next| StatusCode::IM_A_TEAPOT;
    let inner = Zoo::new().router().layer(middleware::from_fn(touch));
    let service = around.layer().layer(inner.layer(middleware::from_fn(touch)));
    ask(service, get("/items/1")).await.unwrap();
    is(&around.seen(), 1, 200, 1);

    // What a middleware answers by itself is seen from outside of it alone.
    let (outer, inner) = (Observed::new(), Observed::new());
    let router: Router =
        Zoo::new().router().layer(inner.layer()).layer(middleware::from_fn(refuse)).layer(outer.layer());
    assert_eq!(ask(router, get("/items/1")).await.unwrap().0, StatusCode::IM_A_TEAPOT);
    is(&outer.seen(), 1, 418, 1);
    assert_eq!(inner.seen().received, 0);
}

#[tokio::test]
async fn inside_of_a_router_over_sockets() {
    for kind in Kind::BOTH {
        let (observed, zoo) = (Observed::new(), Zoo::new());
        let server = Server::start(kind, zoo.router().layer(observed.layer())).await;
        Raw::request(server.address, "GET", "/items/1").await.read_until("an item").await;
        Raw::request(server.address, "HEAD", "/flood").await.read_head().await;
        Raw::request(server.address, "GET", "/sized").await.read_until("1234567890").await;
        let client = Raw::request(server.address, "GET", "/wait").await;
        zoo.entered().await;
        drop(client);
        let mut client = Raw::request(server.address, "GET", "/stream").await;
        client.read_until(".").await;
        drop(client);
        let seen = observed.settled(5).await;
        assert_eq!(seen.responses[&200], 4);
        let routes: Vec<_> = seen.cancelled.iter().map(|entry| (&*entry.route, entry.count)).collect();
        assert_eq!(routes, [("/stream", 1), ("/wait", 1)]);
    }
}
