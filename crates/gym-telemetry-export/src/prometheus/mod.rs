//! Prometheus' text format: the names, the text, and a service that answers scrapes.

mod names;
#[cfg(feature = "prometheus")]
mod service;
#[cfg(feature = "prometheus")]
mod text;

pub(crate) use names::name;
#[cfg(feature = "prometheus")]
pub use service::MetricsService;
#[cfg(feature = "prometheus")]
pub(crate) use text::Scraped;
