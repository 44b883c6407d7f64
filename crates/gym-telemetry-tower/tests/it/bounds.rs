//! What a request costs in memory, whoever sends it: series up to a bound, and no allocation of ours.

use std::{
    convert::Infallible,
    future::{Ready, pending, ready},
    hint::black_box,
};

use allocation_counter::{AllocationInfo, measure};
use bytes::Bytes;
use futures_util::FutureExt as _;
use gym_telemetry_core::{HttpConventions, RequestSettings};
use gym_telemetry_tower::{RequestBody, RequestMetricsLayer, RouteTemplates};
use http::{Method, Request, Response, Uri};
use http_body_util::{BodyExt as _, Empty, Full};
use proptest::{
    strategy::{Strategy as _, ValueTree as _},
    test_runner::TestRunner,
};
use tower::{Layer as _, Service, service_fn};

use crate::support::Observed;

type Body = Full<Bytes>;

/// A service that allocates nothing.
fn echo(request: Request<Body>) -> Ready<Result<Response<Body>, Infallible>> {
    ready(Ok(Response::new(request.into_body())))
}

/// Sends requests and reads the answers to their end, without an allocation of its own.
fn send<A, B: http_body::Body<Error: std::fmt::Debug>>(
    service: &mut impl Service<Request<A>, Response = Response<B>, Error = Infallible>,
    body: impl Fn() -> A,
    times: usize,
) {
    for _ in 0..times {
        let mut request = Request::new(body());
        *request.uri_mut() = Uri::from_static("/items/7");
        let response = service.call(request).now_or_never().unwrap().unwrap();
        let mut body = std::pin::pin!(response.into_body());
        while let Some(frame) = body.frame().now_or_never().unwrap() {
            black_box(frame.unwrap());
        }
    }
}

fn layer(observed: &Observed) -> RequestMetricsLayer {
    observed.layer().routes(RouteTemplates::new(["/items/{id}", "/orders/{id}/parts/{part}"]).unwrap())
}

#[test]
fn a_request_allocates_nothing_of_ours() {
    let observed = Observed::new();
    let mut service = layer(&observed).layer(service_fn(echo));
    send(&mut service, || Body::from("body"), 1);
    let cost = measure(|| send(&mut service, || Body::from("body"), 100));
    assert_eq!(cost, AllocationInfo::default());
}

#[test]
fn nor_does_one_that_the_http_conventions_follow_once_its_series_is_warm() {
    let observed = Observed::with_http();
    let read = |request: Request<RequestBody<Body>>| {
        let mut body = std::pin::pin!(request.into_body());
        while body.frame().now_or_never().unwrap().is_some() {}
        ready(Ok(Response::new(Body::from("read"))))
    };
    let mut service = layer(&observed).count_request_bodies().layer(service_fn(read));
    send(&mut service, || Body::from("body"), 1);
    let cost = measure(|| send(&mut service, || Body::from("body"), 100));
    assert_eq!(cost, AllocationInfo::default());
    let exported = observed.export();
    let attributes = ["http.route=/items/{id}"];
    assert_eq!(exported.count("http.server.request.body.size", &attributes), 101);
    assert_eq!(exported.sum("http.server.request.body.size", &attributes), 404.0);
}

#[test]
fn nor_does_an_empty_body_in_axum() {
    let bare = axum::Router::new().route("/items/{id}", axum::routing::get(async || "an item"));
    let cost_of = |mut service: axum::Router| {
        send(&mut service, axum::body::Body::empty, 10);
        measure(|| send(&mut service, axum::body::Body::empty, 100)).count_total
    };
    let observed = Observed::with_http();
    let mut around = layer(&observed).count_request_bodies_in_axum().layer(bare.clone());
    send(&mut around, axum::body::Body::empty, 10);
    let around = measure(|| send(&mut around, axum::body::Body::empty, 100)).count_total;
    assert_eq!(around, cost_of(bare));
}

#[test]
fn a_cancelled_request_allocates_nothing_once_its_route_is_known() {
    let observed = Observed::new();
    let mut service =
        layer(&observed).layer(service_fn(|_: Request<()>| pending::<Result<Response<Body>, Infallible>>()));
    let mut cancel = |times: usize| {
        for path in ["/items/7", "/orders/1/parts/2", "/nowhere"].into_iter().cycle().take(times) {
            let mut request = Request::new(());
            *request.uri_mut() = Uri::from_static(path);
            drop(service.call(request));
        }
    };
    cancel(3);
    assert_eq!(measure(|| cancel(99)), AllocationInfo::default());
}

#[test]
fn r05_scanners_paths_are_one_route_and_leave_no_memory_behind() {
    const PATHS: usize = 400_000;
    let observed = Observed::new();
    let mut service =
        layer(&observed).layer(service_fn(|_: Request<()>| pending::<Result<Response<Body>, Infallible>>()));
    let mut scan = |paths: std::ops::Range<usize>| {
        for path in paths {
            let path = ["/.env", "/wp-admin/", "/pkg/@scope/", "/items/7/"][path % 4].to_owned() + &path.to_string();
            let request = Request::get(path).body(()).unwrap();
            drop(service.call(request));
        }
    };
    scan(0..10);
    assert_eq!(measure(|| scan(10..PATHS)).bytes_current, 0);
    let cancelled = observed.seen().cancelled;
    let routes: Vec<_> = cancelled.iter().map(|entry| (&*entry.route, entry.count)).collect();
    assert_eq!(routes, [("<unmatched>", PATHS as u64)]);
}

#[test]
fn r05_r06_a_million_random_paths_methods_and_statuses_stay_within_the_bound() {
    const REQUESTS: usize = 1_000_000;
    let observed = Observed::with_settings(
        RequestSettings::default().http(HttpConventions::Stable).http_series_limit(100).route_limit(10),
    );
    let statuses = (100..=999).map(|status| http::StatusCode::from_u16(status).unwrap());
    let mut statuses = statuses.collect::<Vec<_>>().into_iter().cycle();
    let mut service = layer(&observed).layer(service_fn(move |_: Request<()>| {
        let mut response = Response::new(Empty::<Bytes>::new());
        *response.status_mut() = statuses.next().unwrap();
        ready(Ok::<_, Infallible>(response))
    }));
    let mut runner = TestRunner::deterministic();
    let random = ("(/[a-z0-9.%]{0,8}){1,4}", "[A-Z]{1,6}");
    let random: Vec<(Uri, Method)> = std::iter::repeat_with(|| random.new_tree(&mut runner).unwrap().current())
        .filter_map(|(path, method)| Some((path.parse().ok()?, method.parse().ok()?)))
        .take(2_000)
        .collect();
    let mut send = |times: usize| {
        for number in 0..times {
            let (uri, method) = (&random[number % random.len()].0, &random[number / 7 % random.len()].1);
            let mut request = Request::new(());
            (*request.uri_mut(), *request.method_mut()) = (uri.clone(), method.clone());
            drop(service.call(request).now_or_never().unwrap().unwrap());
        }
    };
    send(REQUESTS / 10);
    let memory = measure(|| send(REQUESTS - REQUESTS / 10));
    assert_eq!(memory.bytes_current, 0);

    let seen = observed.seen();
    assert_eq!((seen.received, seen.responses_total(), seen.in_flight), (REQUESTS as u64, REQUESTS as u64, 0));
    let exported = observed.export();
    assert_eq!(exported.count("http.server.request.duration", &[]), REQUESTS as u64);
    assert!(exported.series("http.server.request.duration") <= 101);
    assert!(exported.series("http.server.active_requests") <= 22);
    assert_eq!(exported.series("gym.server.responses_total"), 900);
}
