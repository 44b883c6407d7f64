use std::{marker::PhantomData, sync::Arc};

use gym_telemetry_core::{HttpScheme, RequestRecorder};
use tower_layer::Layer;

#[cfg(feature = "axum")]
use super::CountedInAxum;
use super::{Counted, RequestMetricsService, Untouched, exchange::Recorder, settings::Settings};
use crate::routes::{Prefixes, RouteTemplates};

/// Counts every request that goes through the service it wraps: `gym.server.requests.*`, `gym.server.responses_total`.
///
/// # Where to put it
///
/// *Around everything*, as the outermost service. There it costs no allocation, sees fallbacks and what other layers
/// answer, and matches a path against [`routes`](Self::routes) only when the request was cancelled.
///
/// *Inside the router*, through [`axum::Router::layer`]. With the feature `axum` it knows the route from axum's
/// `MatchedPath`. There a layer that does nothing already costs five allocations a request.
///
/// One of both, not both: each would count the request.
///
/// # What counts as what
///
/// | what happens | counts as |
/// | --- | --- |
/// | the service answers | a response, whatever becomes of its body |
/// | the server drops the service's future | a cancellation `before_response_start` |
/// | the server drops the body before its end | a cancellation `response_started` |
/// | it does so after as many bytes as the head declared | finished |
/// | the answer to `HEAD`, a 1xx, 204, 304, a tunnel, an empty body | finished with the head |
/// | an error or a panic instead of an answer, or in the body | an unhandled exception |
///
/// The request is in flight until its body has ended, or has been dropped.
///
/// # What cannot be known here
///
/// * A dropped request is taken for a client that left. A timeout layer *outside* of this one drops requests too, and
///   they look the same. *Inside* of this one it answers, and its answer is a response like any other.
/// * A server takes what it can of a body into the socket's buffer. If the client leaves without reading it, the
///   response was whole as far as this layer can tell. Short responses to clients that left count as finished.
/// * Over HTTP/1 a server notices a client that left only while it reads from the connection. It does while a handler
///   runs, unless the client pipelines requests.
/// * What a handler does in a task that it spawned goes on after the request was cancelled, unseen.
///
/// # Log
///
/// Every hundredth disconnect over all routes together is one event, level `INFO`, target `gym_telemetry`, with
/// `status` 499, `route` and the number of `disconnects` so far. See also
/// [`log_every_disconnect`](Self::log_every_disconnect).
///
/// # Example
///
/// ```
/// use std::convert::Infallible;
///
/// use bytes::Bytes;
/// use gym_telemetry_core::RequestMetrics;
/// use gym_telemetry_tower::{RequestMetricsLayer, RouteTemplates};
/// use http::{Request, Response};
/// use http_body_util::{BodyExt as _, Full};
/// use tower::{ServiceBuilder, ServiceExt as _};
/// # use opentelemetry::metrics::MeterProvider as _;
/// # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
///
/// let requests = RequestMetrics::new(&meter);
/// let echo = ServiceBuilder::new()
///     .layer(RequestMetricsLayer::new(&requests).routes(RouteTemplates::new(["/echo"])?))
///     .service_fn(|request: Request<Full<Bytes>>| async { Ok::<_, Infallible>(Response::new(request.into_body())) });
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let response = echo.oneshot(Request::post("/echo").body(Full::from("a"))?).await?;
/// assert_eq!(requests.snapshot().in_flight, 1);
/// response.into_body().collect().await?;
/// assert_eq!((requests.snapshot().in_flight, requests.snapshot().responses[&200]), (0, 1));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[cfg_attr(
    not(feature = "axum"),
    doc = "\n[`axum::Router::layer`]: https://docs.rs/axum/latest/axum/struct.Router.html#method.layer"
)]
#[derive(Debug)]
#[must_use = "a layer counts nothing until it wraps a service"]
pub struct RequestMetricsLayer<M = Untouched> {
    recorder: Recorder,
    bodies: PhantomData<fn() -> M>,
}

impl RequestMetricsLayer {
    /// A layer that counts with a recorder: a `&RequestMetrics`, or a [`RequestRecorder`] that may be disabled.
    pub fn new(recorder: impl Into<RequestRecorder>) -> Self {
        Self::of(recorder.into().with_context(Arc::default()))
    }
}

impl<M> RequestMetricsLayer<M> {
    /// The templates that the path of a cancelled request is matched against, unless axum has matched it before.
    pub fn routes(self, routes: RouteTemplates) -> Self {
        self.with(|settings| settings.routes = routes)
    }

    /// What is removed from the beginning of a path, and of a route template, before it counts: by default
    /// [`ROLLOUT_PREFIXES`](crate::ROLLOUT_PREFIXES). `{id}` stands for any one segment, and the longest prefix goes.
    pub fn prefixes<P: AsRef<str>>(self, prefixes: impl IntoIterator<Item = P>) -> Self {
        self.with(|settings| settings.prefixes = Prefixes::new(prefixes))
    }

    /// Whether each disconnect is an event in the log, level `DEBUG`, target `gym_telemetry`, with `status` 499,
    /// `route`, `phase` and `elapsed_seconds`, instead of every hundredth. It costs a reading of the clock a request,
    /// and is for debugging. Off by default.
    pub fn log_every_disconnect(self, log_every_disconnect: bool) -> Self {
        self.with(|settings| settings.log_every_disconnect = log_every_disconnect)
    }

    /// The scheme of a request whose URI names none: [`Http`](HttpScheme::Http) by default, and
    /// [`Https`](HttpScheme::Https) behind an encrypted listener. Only the HTTP conventions ask for it.
    pub fn scheme(self, scheme: HttpScheme) -> Self {
        self.with(|settings| settings.scheme = scheme)
    }

    /// Counts the bytes of request bodies, which the HTTP conventions then report. The service inside gets
    /// [`RequestBody`](super::RequestBody)s.
    pub fn count_request_bodies(self) -> RequestMetricsLayer<Counted> {
        RequestMetricsLayer::of(self.recorder)
    }

    /// The same for axum: the service inside gets axum's own body. One that is axum's already, as inside of a router
    /// and under `axum::serve`, is not allocated anew if it is empty.
    #[cfg(feature = "axum")]
    pub fn count_request_bodies_in_axum(self) -> RequestMetricsLayer<CountedInAxum> {
        RequestMetricsLayer::of(self.recorder)
    }

    fn of(recorder: Recorder) -> Self {
        Self { recorder, bodies: PhantomData }
    }

    fn with(self, change: impl FnOnce(&mut Settings)) -> Self {
        let Some(settings) = self.recorder.context() else { return self };
        let mut settings = Settings::clone(settings);
        change(&mut settings);
        Self::of(self.recorder.with_context(Arc::new(settings)))
    }
}

impl<M> Clone for RequestMetricsLayer<M> {
    fn clone(&self) -> Self {
        Self::of(self.recorder.clone())
    }
}

impl<S, M> Layer<S> for RequestMetricsLayer<M> {
    type Service = RequestMetricsService<S, M>;

    fn layer(&self, inner: S) -> Self::Service {
        RequestMetricsService::new(inner, self.recorder.clone())
    }
}
