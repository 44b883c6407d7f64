//! The request layer, the client and the exporter in one process.

use std::{
    collections::BTreeMap,
    future::{pending, poll_fn},
    pin::pin,
    task::Poll,
};

use axum::{
    Router,
    body::Body,
    http::{Request, Response},
    routing::get,
};
use gym_telemetry::{
    Protocol, Settings, Telemetry,
    conventions::{attributes, metrics},
    hyper::{Destination, PooledClient},
    tower::{MeteredRouter, RequestMetricsLayer},
};
use gym_telemetry_collector::Collector;
use gym_telemetry_tests::LONG;
use tokio::{net::TcpListener, runtime::Builder};
use tower::{Service, ServiceExt as _};

use crate::support::{RUNTIME, collector};

/// Telemetry that exports when it is told to.
fn telemetry(collector: &Collector, protocol: Protocol) -> Telemetry {
    let mut settings = Settings::default();
    settings.enabled = true;
    settings.export_interval_ms = 3_600_000;
    settings.otlp_protocol = protocol;
    settings.otlp_endpoint = Some(match protocol {
        Protocol::Grpc => collector.grpc_endpoint(),
        _ => collector.http_endpoint(),
    });
    Telemetry::start(settings).unwrap()
}

/// A request whose client leaves while the handler is at work.
async fn abandon<S, B>(service: &S, path: &str)
where
    S: Service<Request<Body>, Response = Response<B>> + Clone,
{
    let mut call = pin!(service.clone().oneshot(Request::get(path).body(Body::empty()).unwrap()));
    let pending = poll_fn(|cx| Poll::Ready(call.as_mut().poll(cx).is_pending())).await;
    assert!(pending);
}

/// Abandons ten thousand requests of no route, then one of a route, and says how many were cancelled by route.
fn cancelled<S, B>(app: impl FnOnce(RequestMetricsLayer) -> S) -> BTreeMap<String, f64>
where
    S: Service<Request<Body>, Response = Response<B>> + Clone,
{
    let collector = collector();
    let telemetry = telemetry(&collector, Protocol::Grpc);
    let app = app(RequestMetricsLayer::new(telemetry.request_recorder()));
    RUNTIME.block_on(async {
        for number in 0..10_000 {
            abandon(&app, &format!("/junk/{number}/.env")).await;
        }
        abandon(&app, "/items/7").await;
    });
    telemetry.shutdown(LONG).unwrap();
    RUNTIME.block_on(collector.shutdown()).sums(metrics::SERVER_REQUESTS_CANCELLED_TOTAL.name, |series| {
        series.attributes.str(attributes::HTTP_ROUTE.key).unwrap_or("an overflow").to_owned()
    })
}

#[test]
fn x11_a_route_has_its_own_series_after_ten_thousand_paths_of_none() {
    let expected =
        BTreeMap::from([(attributes::UNMATCHED_ROUTE.to_owned(), 10_000.0), ("/items/{id}".to_owned(), 1.0)]);
    let around = |layer| {
        let app = MeteredRouter::new().route("/items/{id}", get(pending::<()>));
        app.map(|router| router.fallback(pending::<()>)).metered(layer).unwrap()
    };
    assert_eq!(cancelled(around), expected);
    let inside = |layer| Router::new().route("/items/{id}", get(pending::<()>)).fallback(pending::<()>).layer(layer);
    assert_eq!(cancelled(inside), expected);
}

#[test]
fn x2_what_the_exporter_sends_is_in_no_metric_of_the_application() {
    const CALLS: usize = 20;
    let collector = collector();
    let telemetry = telemetry(&collector, Protocol::HttpProtobuf);
    let app = MeteredRouter::new().route("/", get(async || "an answer"));
    let app = app.metered(RequestMetricsLayer::new(telemetry.request_recorder())).unwrap();
    let application = Builder::new_current_thread().enable_all().build().unwrap();
    application.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        tokio::spawn(telemetry.serve(listener, app).into_future());
        let client = PooledClient::builder(telemetry.pool()).build_http();
        for _ in 0..CALLS {
            let request = Request::get(&url).extension(Destination::new("app")).body(Body::empty()).unwrap();
            client.request(request).await.unwrap();
            // The application's only thread waits here, and the export is made nevertheless.
            telemetry.flush(LONG).unwrap();
        }
    });
    telemetry.shutdown(LONG).unwrap();
    assert_eq!(collector.counts().requests, CALLS as u64 + 1);

    let state = RUNTIME.block_on(collector.shutdown());
    assert_eq!(state.sum(metrics::SERVER_RESPONSES_TOTAL.name, |_| true), CALLS as f64);
    let called = state.sums(metrics::HTTP_CONNECTION_POOL_CONNECT_TOTAL.name, |series| {
        series.attributes.str(attributes::DESTINATION_SERVER_NAME.key).unwrap().to_owned()
    });
    assert_eq!(
        called.into_iter().filter(|(_, calls)| *calls > 0.0).collect::<Vec<_>>(),
        [("app".to_owned(), CALLS as f64)]
    );
}
