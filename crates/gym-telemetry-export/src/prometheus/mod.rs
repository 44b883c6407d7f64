//! Prometheus' text format: the names, the text, and a service that answers scrapes.

mod names;
mod service;
mod text;

pub(crate) use names::name;
pub use service::MetricsService;
pub(crate) use text::{exporter, render};
