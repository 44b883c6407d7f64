use opentelemetry_prometheus::PrometheusExporter;
use opentelemetry_sdk::error::OTelSdkError;
use prometheus::{Registry, TextEncoder};

use crate::overflow::Overflow;

/// A reader for the meter provider, and the registry that it answers to.
///
/// Names come from a view, so the exporter adds nothing to them.
pub(crate) fn exporter(scope_labels: bool) -> Result<(PrometheusExporter, Registry), OTelSdkError> {
    let registry = Registry::new();
    let exporter = opentelemetry_prometheus::exporter()
        .with_registry(registry.clone())
        .without_units()
        .without_counter_suffixes()
        .scope_info_enabled(scope_labels)
        .build()?;
    Ok((exporter, registry))
}

/// Collects, and writes what there is.
pub(crate) fn render(registry: &Registry, overflow: &mut Overflow) -> String {
    let families = registry.gather();
    overflow.watch_families(&families);
    let mut text = String::new();
    if let Err(error) = TextEncoder::new().encode_utf8(&families, &mut text) {
        tracing::warn!(%error, "the metrics could not be written as Prometheus' text");
    }
    text
}
