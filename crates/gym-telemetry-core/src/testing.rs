//! A reader for tests: what a backend would see.

use opentelemetry::{
    KeyValue,
    metrics::{Meter, MeterProvider as _},
};
use opentelemetry_sdk::metrics::{
    InMemoryMetricExporter, PeriodicReader, SdkMeterProvider,
    data::{AggregatedMetrics, HistogramDataPoint, MetricData, ResourceMetrics},
};

/// A provider of its own with an exporter in memory.
pub(crate) struct Reader {
    provider: SdkMeterProvider,
    exporter: InMemoryMetricExporter,
}

/// One point: metric, sorted attributes, value or sum, count.
type Point = (String, Vec<String>, f64, u64);

/// What one collection exported.
pub(crate) struct Collected(Vec<Point>);

impl Reader {
    pub(crate) fn new() -> Self {
        let exporter = InMemoryMetricExporter::default();
        let reader = PeriodicReader::builder(exporter.clone()).build();
        Self { provider: SdkMeterProvider::builder().with_reader(reader).build(), exporter }
    }

    pub(crate) fn meter(&self) -> Meter {
        self.provider.meter("test")
    }

    pub(crate) fn collect(&self) -> Collected {
        self.exporter.reset();
        self.provider.force_flush().expect("a flush into memory");
        Collected(self.exporter.get_finished_metrics().expect("metrics").iter().flat_map(points).collect())
    }
}

impl Collected {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a counter or gauge.
    pub(crate) fn value(&self, metric: &str, attributes: &[(&str, &str)]) -> Option<f64> {
        self.find(metric, attributes).map(|point| point.2)
    }

    /// Count and sum of a histogram.
    pub(crate) fn histogram(&self, metric: &str, attributes: &[(&str, &str)]) -> Option<(u64, f64)> {
        self.find(metric, attributes).map(|point| (point.3, point.2))
    }

    /// How many series a metric has.
    pub(crate) fn series(&self, metric: &str) -> usize {
        self.0.iter().filter(|point| point.0 == metric).count()
    }

    /// The sum over a metric's series.
    pub(crate) fn total(&self, metric: &str) -> f64 {
        self.0.iter().filter(|point| point.0 == metric).map(|point| point.2).sum()
    }

    fn find(&self, metric: &str, attributes: &[(&str, &str)]) -> Option<&Point> {
        let mut wanted: Vec<_> = attributes.iter().map(|(key, value)| format!("{key}={value}")).collect();
        wanted.sort();
        self.0.iter().find(|point| point.0 == metric && point.1 == wanted)
    }
}

fn points(metrics: &ResourceMetrics) -> Vec<Point> {
    let mut points = Vec::new();
    for metric in metrics.scope_metrics().flat_map(|scope| scope.metrics()) {
        match metric.data() {
            AggregatedMetrics::F64(data) => read(metric.name(), data, |value| value, &mut points),
            AggregatedMetrics::U64(data) => read(metric.name(), data, |value| value as f64, &mut points),
            AggregatedMetrics::I64(data) => read(metric.name(), data, |value| value as f64, &mut points),
        }
    }
    points
}

fn read<T: Copy>(name: &str, data: &MetricData<T>, value: impl Fn(T) -> f64, points: &mut Vec<Point>) {
    let name = || name.to_owned();
    match data {
        MetricData::Gauge(gauge) => {
            points.extend(gauge.data_points().map(|p| (name(), sorted(p.attributes()), value(p.value()), 0)));
        }
        MetricData::Sum(sum) => {
            points.extend(sum.data_points().map(|p| (name(), sorted(p.attributes()), value(p.value()), 0)));
        }
        MetricData::Histogram(histogram) => {
            let point = |p: &HistogramDataPoint<T>| (name(), sorted(p.attributes()), value(p.sum()), p.count());
            points.extend(histogram.data_points().map(point));
        }
        MetricData::ExponentialHistogram(_) => unreachable!("no view asks for one"),
    }
}

fn sorted<'a>(attributes: impl Iterator<Item = &'a KeyValue>) -> Vec<String> {
    let mut attributes: Vec<_> = attributes.map(|pair| format!("{}={}", pair.key, pair.value)).collect();
    attributes.sort();
    attributes
}
