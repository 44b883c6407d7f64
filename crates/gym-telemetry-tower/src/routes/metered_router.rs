use std::convert::Infallible;

use axum::{Router, extract::Request, response::IntoResponse, routing::MethodRouter};
use tower_layer::Layer as _;
use tower_service::Service;

use super::{RouteTemplates, TemplateError};
use crate::request_metrics::{CountedInAxum, RequestMetricsLayer, RequestMetricsService};

/// An axum router with a layer around it, as [`MeteredRouter::metered`] makes it.
pub type MeteredService = RequestMetricsService<Router, CountedInAxum>;

/// An axum router that remembers its routes, so that a [`RequestMetricsLayer`] around it knows them.
///
/// It has those of [`Router`]'s methods that say where a route is. [`map`](Self::map) gives access to all others.
///
/// # Example
///
/// ```
/// use axum::routing::get;
/// use gym_telemetry_core::RequestMetrics;
/// use gym_telemetry_tower::{MeteredRouter, RequestMetricsLayer};
/// # use opentelemetry::metrics::MeterProvider as _;
/// # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
///
/// let items = MeteredRouter::new().route("/items/{id}", get(|| async { "an item" }));
/// let router = MeteredRouter::new()
///     .nest("/api", items)
///     .map(|router| router.fallback(|| async { "nothing here" }));
/// assert_eq!(router.templates()?.find("/api/items/7"), Some("/api/items/{id}"));
///
/// let requests = RequestMetrics::new(&meter);
/// let service = router.metered(RequestMetricsLayer::new(&requests))?;
/// # Ok::<_, gym_telemetry_tower::TemplateError>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "a router does nothing until it is served"]
pub struct MeteredRouter<S = ()> {
    router: Router<S>,
    templates: Vec<String>,
}

impl<S: Clone + Send + Sync + 'static> MeteredRouter<S> {
    /// A router without routes.
    pub fn new() -> Self {
        Self { router: Router::new(), templates: Vec::new() }
    }

    /// As [`Router::route`].
    pub fn route(self, path: &str, methods: MethodRouter<S>) -> Self {
        self.with(path).map(|router| router.route(path, methods))
    }

    /// As [`Router::route_service`].
    pub fn route_service<T>(self, path: &str, service: T) -> Self
    where
        T: Service<Request, Error = Infallible> + Clone + Send + Sync + 'static,
        T::Response: IntoResponse,
        T::Future: Send + 'static,
    {
        self.with(path).map(|router| router.route_service(path, service))
    }

    /// As [`Router::nest`].
    pub fn nest(mut self, path: &str, inner: Self) -> Self {
        self.templates.extend(inner.templates.iter().map(|template| nested(path, template)));
        self.map(|router| router.nest(path, inner.router))
    }

    /// As [`Router::merge`].
    pub fn merge(mut self, other: Self) -> Self {
        self.templates.extend(other.templates);
        self.map(|router| router.merge(other.router))
    }

    /// As [`Router::fallback_service`], for what none of the routes matches.
    pub fn fallback_router(mut self, other: MeteredRouter) -> Self {
        self.templates.extend(other.templates);
        self.map(|router| router.fallback_service(other.router))
    }

    /// Everything else that can be done with a router: state, layers, fallbacks. Routes that are added here are not
    /// remembered, and what is cancelled on them counts as `<unmatched>`.
    pub fn map<T>(self, change: impl FnOnce(Router<S>) -> Router<T>) -> MeteredRouter<T> {
        MeteredRouter { router: change(self.router), templates: self.templates }
    }

    /// The routes so far.
    ///
    /// # Errors
    ///
    /// When a template is malformed; axum panics on these before.
    pub fn templates(&self) -> Result<RouteTemplates, TemplateError> {
        RouteTemplates::new(&self.templates)
    }

    /// The router inside, to be served or nested as any other.
    pub fn into_router(self) -> Router<S> {
        self.router
    }

    fn with(mut self, template: &str) -> Self {
        self.templates.push(template.to_owned());
        self
    }
}

impl MeteredRouter {
    /// The router with a layer around it that knows its routes, and counts the bytes of request bodies if the HTTP
    /// conventions are on.
    ///
    /// # Errors
    ///
    /// As [`templates`](Self::templates).
    pub fn metered<M>(self, layer: RequestMetricsLayer<M>) -> Result<MeteredService, TemplateError> {
        let layer = layer.routes(self.templates()?).count_request_bodies_in_axum();
        Ok(layer.layer(self.router))
    }
}

impl<S: Clone + Send + Sync + 'static> Default for MeteredRouter<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// Where axum puts a route of a nested router.
fn nested(prefix: &str, template: &str) -> String {
    match (prefix.strip_suffix('/'), template) {
        (Some(prefix), template) => format!("{prefix}/{}", template.trim_start_matches('/')),
        (None, "/") => prefix.to_owned(),
        (None, template) => format!("{prefix}{template}"),
    }
}
