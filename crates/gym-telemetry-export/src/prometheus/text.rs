use std::collections::HashSet;

use opentelemetry_prometheus::PrometheusExporter;
use opentelemetry_sdk::error::OTelSdkError;
use prometheus::{Registry, TextEncoder, proto::MetricFamily};

use crate::overflow::Overflow;

/// What answers a scrape.
pub(crate) struct Scraped {
    registry: Registry,
    /// The metrics whose duplicates the log has told of.
    told: HashSet<String>,
}

impl Scraped {
    /// What answers scrapes, and the reader by which it gets at a meter provider.
    ///
    /// Names come from a view, so the exporter adds nothing to them.
    pub(crate) fn new(scope_labels: bool) -> Result<(Self, PrometheusExporter), OTelSdkError> {
        let registry = Registry::new();
        let reader = opentelemetry_prometheus::exporter()
            .with_registry(registry.clone())
            .without_units()
            .without_counter_suffixes()
            .scope_info_enabled(scope_labels)
            .build()?;
        Ok((Self { registry, told: HashSet::new() }, reader))
    }

    /// Collects, and writes what there is.
    pub(crate) fn render(&mut self, overflow: &mut Overflow) -> String {
        let mut families = self.registry.gather();
        overflow.watch_families(&families);
        families.iter_mut().for_each(|family| self.drop_duplicates(family));
        let mut text = String::new();
        if let Err(error) = TextEncoder::new().encode_utf8(&families, &mut text) {
            tracing::warn!(%error, "the metrics could not be written as Prometheus' text");
        }
        text
    }

    /// Without scope labels the same series may come from two scopes, and Prometheus would refuse the whole text.
    fn drop_duplicates(&mut self, family: &mut MetricFamily) {
        let mut seen = HashSet::new();
        let all = family.get_metric().len();
        family.mut_metric().retain(|metric| {
            let labels = metric.get_label().iter().map(|label| (label.name().to_owned(), label.value().to_owned()));
            seen.insert(labels.collect::<Vec<_>>())
        });
        if family.get_metric().len() < all && self.told.insert(family.name().to_owned()) {
            let metric = family.name();
            tracing::warn!(metric, "two scopes have the same series: the first is shown; scope labels tell them apart");
        }
    }
}
