//! Watches for instruments that have more attribute sets than they may.

use std::collections::HashSet;

use opentelemetry::KeyValue;
use opentelemetry_sdk::metrics::data::{AggregatedMetrics, Metric, MetricData, ResourceMetrics};

/// The attribute by which the SDK marks the series that gathers what was too much.
const MARK: &str = "otel.metric.overflow";

/// Says once for each instrument that it went over the limit.
pub(crate) struct Overflow {
    limit: usize,
    told: HashSet<String>,
}

impl Overflow {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, told: HashSet::new() }
    }

    /// Looks through one collection.
    pub(crate) fn watch(&mut self, metrics: &ResourceMetrics) {
        let metrics = metrics.scope_metrics().flat_map(|scope| scope.metrics());
        metrics.filter(|metric| overflows(metric)).for_each(|metric| self.tell(metric.name()));
    }

    /// Looks through one scrape.
    #[cfg(feature = "prometheus")]
    pub(crate) fn watch_families(&mut self, families: &[prometheus::proto::MetricFamily]) {
        let marked = |family: &&prometheus::proto::MetricFamily| {
            let labels = family.get_metric().iter().flat_map(|metric| metric.get_label());
            labels.into_iter().any(|label| label.name() == "otel_metric_overflow")
        };
        families.iter().filter(marked).for_each(|family| self.tell(family.name()));
    }

    /// Logs an instrument, unless it was logged before.
    fn tell(&mut self, instrument: &str) {
        if self.told.insert(instrument.to_owned()) {
            let limit = self.limit;
            tracing::warn!(instrument, limit, "too many attribute sets; further ones are exported as one series");
        }
    }
}

/// Whether a metric has the series that gathers what was too much.
fn overflows(metric: &Metric) -> bool {
    match metric.data() {
        AggregatedMetrics::F64(data) => any_marked(data),
        AggregatedMetrics::U64(data) => any_marked(data),
        AggregatedMetrics::I64(data) => any_marked(data),
    }
}

fn any_marked<T>(data: &MetricData<T>) -> bool {
    fn marked<'a>(mut attributes: impl Iterator<Item = &'a KeyValue>) -> bool {
        attributes.any(|attribute| attribute.key.as_str() == MARK)
    }
    match data {
        MetricData::Gauge(gauge) => gauge.data_points().any(|point| marked(point.attributes())),
        MetricData::Sum(sum) => sum.data_points().any(|point| marked(point.attributes())),
        MetricData::Histogram(histogram) => histogram.data_points().any(|point| marked(point.attributes())),
        MetricData::ExponentialHistogram(histogram) => histogram.data_points().any(|point| marked(point.attributes())),
    }
}
