use std::{
    convert::Infallible,
    fmt,
    pin::Pin,
    task::{Context, Poll},
};

use http::{
    HeaderValue, Method, Request, Response, StatusCode,
    header::{ALLOW, CONTENT_LENGTH, CONTENT_TYPE},
};
use prometheus::TEXT_FORMAT;
use tokio::sync::{mpsc::UnboundedSender, oneshot};
use tower_service::Service;

use crate::worker::Command;

/// Answers `GET` and `HEAD` with the metrics of this process in Prometheus' text format.
///
/// It is a `tower` service, to be mounted where scrapers look, as a rule `/metrics`. The metrics are collected and
/// written on the exporter's thread; the service only waits for them.
///
/// # Example
/// ```
/// use gym_telemetry_export::{Exporter, Settings, Telemetry};
///
/// # fn main() -> Result<(), gym_telemetry_export::StartError> {
/// let mut settings = Settings::default();
/// settings.enabled = true;
/// settings.exporter = Exporter::Prometheus;
/// let telemetry = Telemetry::builder(settings).environment(|_| None).start()?;
///
/// let mut routes = axum::Router::<()>::new();
/// if let Some(metrics) = telemetry.prometheus() {
///     routes = routes.route_service("/metrics", metrics);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct MetricsService {
    commands: UnboundedSender<Command>,
}

impl MetricsService {
    pub(crate) fn new(commands: UnboundedSender<Command>) -> Self {
        Self { commands }
    }
}

impl fmt::Debug for MetricsService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MetricsService").finish_non_exhaustive()
    }
}

impl<B> Service<Request<B>> for MetricsService {
    type Response = Response<String>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let method = request.method().clone();
        let commands = self.commands.clone();
        Box::pin(async move {
            if method != Method::GET && method != Method::HEAD {
                let mut response = empty(StatusCode::METHOD_NOT_ALLOWED);
                response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
                return Ok(response);
            }
            Ok(match scrape(&commands).await {
                Some(text) => metrics(text, method == Method::HEAD),
                None => empty(StatusCode::SERVICE_UNAVAILABLE),
            })
        })
    }
}

/// Has the exporter's thread collect; `None` when it has been shut down.
async fn scrape(commands: &UnboundedSender<Command>) -> Option<String> {
    let (reply, text) = oneshot::channel();
    commands.send(Command::Scrape(reply)).ok()?;
    text.await.ok()
}

fn metrics(text: String, head: bool) -> Response<String> {
    let length = HeaderValue::from(text.len());
    let mut response = Response::new(if head { String::new() } else { text });
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(TEXT_FORMAT));
    response.headers_mut().insert(CONTENT_LENGTH, length);
    response
}

fn empty(status: StatusCode) -> Response<String> {
    let mut response = Response::new(String::new());
    *response.status_mut() = status;
    response
}
