use std::{convert::Infallible, future::poll_fn, pin::pin};

use axum::{BoxError, Router, body::Body, routing::get};
use bytes::Bytes;
use futures_util::FutureExt as _;
use gym_telemetry::{
    HttpConventions, RequestMetrics, RequestRecorder, RequestSettings,
    tower::{CountedInAxum, RequestMetricsLayer, RouteTemplates},
};
use http::{Request, Response, Uri};
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_instrumentation_tower as instrumentation;
use opentelemetry_sdk::metrics::{ManualReader, SdkMeterProvider};
use tower::{ServiceExt as _, util::MapResponse};
use tower_layer::{Layer as _, layer_fn};
use tower_service::Service;

use super::{
    collection,
    floor::Floor,
    layers::{Identity, Wrap},
};
use crate::{bench::Bench, subject::Subject};

pub(super) const NAME: &str = "requests";

/// The benchmark.
pub(crate) const BENCH: Bench = Bench {
    name: NAME,
    compared: &[
        "axum",
        "axum-otel-metrics",
        "axum-prometheus",
        "opentelemetry-instrumentation-tower",
        "opentelemetry_sdk",
    ],
    subjects: || Ok(subjects()),
    more: Some(collection::findings),
};

/// Every stack, the bare router first.
fn subjects() -> Vec<Subject> {
    let bare = "bare router";
    let mut all = vec![
        around(bare, router()),
        around("identity layer inside", router().layer(layer_fn(Identity))),
        around("empty body-wrapping layer inside", router().layer(layer_fn(|inner| Wrap::new(inner, ())))),
        around("empty body-wrapping layer around", Wrap::new(router(), ())),
        around("floor inside", router().layer(layer_fn(floor_layer()))),
        around("floor around", floor_layer()(router())),
    ];
    all.extend(ours());
    all.extend(peers());
    all.into_iter().map(|subject| if subject.name == bare { subject } else { subject.above(bare) }).collect()
}

fn floor_layer<S>() -> impl Fn(S) -> Wrap<S, Floor> + Clone {
    let floor = Floor::new();
    move |inner| Wrap::new(inner, floor)
}

/// The router that every stack serves. Its state is there, as under `axum::serve`: without it, a router would apply a
/// layer within it anew for each request.
pub(super) fn router() -> Router {
    Router::new().route("/items/{id}", get(async || "ok")).with_state(())
}

/// Ours, in both homes, with and without what is switched on by a setting.
fn ours() -> Vec<Subject> {
    let layer = || routes(RequestMetricsLayer::new(recorder(RequestSettings::default())));
    let http = || http_layer(&recorder(RequestSettings::default().http(HttpConventions::Stable)));
    let disabled = RequestMetricsLayer::new(RequestRecorder::disabled());
    vec![
        around("ours around", layer().layer(router())),
        around("ours around, boxed for axum::serve", boxed(layer().layer(router()))),
        around("ours inside", router().layer(layer())),
        around("ours around, disabled", disabled.layer(router())),
        around("ours around, HTTP conventions", http().layer(router())),
        around("ours around, HTTP conventions, boxed", boxed(http().layer(router()))),
        around("ours inside, HTTP conventions", router().layer(http())),
    ]
}

/// The layer with all that the HTTP conventions ask for.
pub(super) fn http_layer(recorder: &RequestRecorder) -> RequestMetricsLayer<CountedInAxum> {
    routes(RequestMetricsLayer::new(recorder.clone())).count_request_bodies_in_axum()
}

/// The layer with the routes of [`router`]; a malformed one would show in the figures of all stacks.
fn routes(layer: RequestMetricsLayer) -> RequestMetricsLayer {
    layer.routes(RouteTemplates::new(["/items/{id}"]).unwrap_or_default())
}

/// With the body that `axum::serve` asks for.
fn boxed<S, B>(service: S) -> MapResponse<S, impl FnOnce(Response<B>) -> Response<Body> + Clone>
where
    S: Service<Request<Body>, Response = Response<B>>,
    B: http_body::Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    MapResponse::new(service, |response: Response<B>| response.map(Body::new))
}

/// A recorder that reports for as long as the benchmark runs.
fn recorder(settings: RequestSettings) -> RequestRecorder {
    let meter = Box::leak(Box::new(provider())).meter("bench");
    let requests: &RequestMetrics = Box::leak(Box::new(RequestMetrics::with_settings(&meter, settings)));
    requests.recorder()
}

/// What people would use instead, each with a provider that aggregates.
fn peers() -> Vec<Subject> {
    use opentelemetry_sdk_032::metrics as sdk_032;

    let prometheus = axum_prometheus::PrometheusMetricLayer::pair().0;
    let provider = sdk_032::SdkMeterProvider::builder().with_reader(sdk_032::ManualReader::default()).build();
    let otel_metrics = axum_otel_metrics::HttpMetricsLayerBuilder::new().with_provider(provider).build();
    let mut all = vec![
        around("axum-prometheus", router().layer(prometheus)),
        around("axum-otel-metrics", router().layer(otel_metrics)),
    ];
    let instrumentation = global_instrumentation();
    all.extend(instrumentation.map(|layer| around("opentelemetry-instrumentation-tower", router().layer(layer))));
    all
}

/// This peer takes the provider of the whole process, and no other.
#[expect(clippy::disallowed_methods, reason = "there is no other way to give it one")]
fn global_instrumentation() -> Option<instrumentation::http::server::Layer> {
    opentelemetry::global::set_meter_provider(provider());
    instrumentation::http::server::LayerBuilder::builder().with_tracing(false).build().ok()
}

fn provider() -> SdkMeterProvider {
    SdkMeterProvider::builder().with_reader(ManualReader::default()).build()
}

/// A subject that sends requests through a service, and reads every response to its end.
pub(super) fn around<S, B>(name: &'static str, service: S) -> Subject
where
    S: Service<Request<Body>, Response = Response<B>, Error = Infallible> + Clone + Send + Sync + 'static,
    B: http_body::Body,
{
    Subject::new(name, move |events| {
        let mut service = service.clone();
        let uri = Uri::from_static("/items/42");
        for _ in 0..events {
            let mut request = Request::new(Body::empty());
            *request.uri_mut() = uri.clone();
            if service.ready().now_or_never().is_none() {
                continue;
            }
            let mut response = pin!(service.call(request));
            let response = poll_fn(|cx| response.as_mut().poll(cx)).now_or_never();
            drain(response.and_then(Result::ok).map(Response::into_body));
        }
    })
}

/// Reads a body that is there at once.
fn drain<B: http_body::Body>(body: Option<B>) {
    let Some(body) = body else { return };
    let mut body = pin!(body);
    while !body.is_end_stream() {
        let frame = poll_fn(|cx| body.as_mut().poll_frame(cx)).now_or_never().flatten();
        if frame.is_none_or(|frame| frame.is_err()) {
            break;
        }
    }
}
