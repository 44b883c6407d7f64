//! A tower layer that counts every request exactly once, however it ends.
//!
//! ```
//! # #[cfg(feature = "axum")]
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use axum::{body::Body, response::Response, routing::get};
//! use gym_telemetry_core::RequestMetrics;
//! use gym_telemetry_tower::{MeteredRouter, RequestMetricsLayer, ResponseBody};
//! use tokio::net::TcpListener;
//! use tower::{ServiceBuilder, make::Shared};
//! # use opentelemetry::metrics::MeterProvider as _;
//! # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
//!
//! let requests = RequestMetrics::new(&meter);
//! let router = MeteredRouter::new().route("/items/{id}", get(|| async { "an item" }));
//! let service = router.metered(RequestMetricsLayer::new(&requests))?;
//!
//! // `axum::serve` asks for axum's own body, which costs one allocation a request. hyper does not.
//! let body = |response: Response<ResponseBody<Body>>| response.map(Body::new);
//! let service = ServiceBuilder::new().map_response(body).service(service);
//! let listener = TcpListener::bind("127.0.0.1:0").await?;
//! let server = axum::serve(listener, Shared::new(service));
//! # server.with_graceful_shutdown(async {}).await?;
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "axum"))]
//! # fn main() {}
//! ```
//!
//! [`RequestMetricsLayer`] wraps any service that answers an [`http::Request`] with an [`http::Response`]: axum, hyper,
//! tonic. Its page says what counts as what, and what cannot be known from where it stands.
//!
//! # Features
//!
//! * `axum`: routes from axum's `MatchedPath`, and [`MeteredRouter`].

mod request_metrics;
mod routes;

#[cfg(feature = "axum")]
pub use request_metrics::CountedInAxum;
pub use request_metrics::{
    Counted, RequestBodies, RequestBody, RequestMetricsLayer, RequestMetricsService, ResponseBody, ResponseFuture,
    Untouched,
};
#[cfg(feature = "axum")]
pub use routes::{MeteredRouter, MeteredService};
pub use routes::{ROLLOUT_PREFIXES, RouteTemplates, TemplateError};
