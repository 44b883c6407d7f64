use std::time::Duration;

use gym_telemetry_core::{HttpConventions, RequestMetrics, RequestSettings, RequestSnapshot};
use gym_telemetry_tower::RequestMetricsLayer;
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::metrics::{
    InMemoryMetricExporter, PeriodicReader, SdkMeterProvider,
    data::{AggregatedMetrics, MetricData},
};

/// A recorder with its own provider, so that tests know nothing of each other.
pub(crate) struct Observed {
    pub(crate) requests: RequestMetrics,
    provider: SdkMeterProvider,
    exporter: InMemoryMetricExporter,
}

/// What one collection exported: metric, sorted attributes, value or count of samples, sum of samples.
pub(crate) struct Exported(Vec<(String, Vec<String>, u64, f64)>);

impl Observed {
    pub(crate) fn new() -> Self {
        Self::with_settings(RequestSettings::default())
    }

    pub(crate) fn with_http() -> Self {
        Self::with_settings(RequestSettings::default().http(HttpConventions::Stable))
    }

    pub(crate) fn with_settings(settings: RequestSettings) -> Self {
        let exporter = InMemoryMetricExporter::default();
        let reader = PeriodicReader::builder(exporter.clone()).build();
        let provider = SdkMeterProvider::builder().with_reader(reader).build();
        let requests = RequestMetrics::with_settings(&provider.meter("test"), settings);
        Self { requests, provider, exporter }
    }

    pub(crate) fn layer(&self) -> RequestMetricsLayer {
        RequestMetricsLayer::new(&self.requests)
    }

    pub(crate) fn seen(&self) -> RequestSnapshot {
        self.requests.snapshot()
    }

    /// Waits until the recorder has seen something, however long a loaded machine takes.
    pub(crate) async fn until(&self, what: &str, is_so: impl Fn(&RequestSnapshot) -> bool) -> RequestSnapshot {
        for _ in 0..60_000 {
            let seen = self.seen();
            if is_so(&seen) {
                return seen;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        panic!("waited in vain until {what}: {:?}", self.seen());
    }

    /// Waits until so many requests have come and all of them have ended, and checks the law.
    pub(crate) async fn settled(&self, received: u64) -> RequestSnapshot {
        let seen = self.until("all have ended", |seen| seen.received == received && seen.in_flight == 0).await;
        let before_head = seen.cancelled_in(gym_telemetry_conventions::RequestPhase::BeforeResponseStart);
        assert_eq!(seen.received, seen.responses_total() + before_head + seen.unhandled, "{seen:?}");
        seen
    }

    pub(crate) fn export(&self) -> Exported {
        self.exporter.reset();
        self.provider.force_flush().unwrap();
        let mut points = Vec::new();
        for metrics in self.exporter.get_finished_metrics().unwrap() {
            for metric in metrics.scope_metrics().flat_map(|scope| scope.metrics()) {
                let mut add = |attributes: Vec<_>, count: u64, sum: f64| {
                    let mut attributes: Vec<_> = attributes;
                    attributes.sort();
                    points.push((metric.name().to_owned(), attributes, count, sum));
                };
                macro_rules! read {
                    ($data:expr) => {
                        match $data {
                            MetricData::Sum(sum) => sum
                                .data_points()
                                .for_each(|p| add(p.attributes().map(pair).collect(), p.value() as u64, 0.0)),
                            MetricData::Histogram(histogram) => histogram
                                .data_points()
                                .for_each(|p| add(p.attributes().map(pair).collect(), p.count(), p.sum() as f64)),
                            _ => {}
                        }
                    };
                }
                match metric.data() {
                    AggregatedMetrics::F64(data) => read!(data),
                    AggregatedMetrics::U64(data) => read!(data),
                    AggregatedMetrics::I64(data) => read!(data),
                }
            }
        }
        Exported(points)
    }
}

fn pair(pair: &opentelemetry::KeyValue) -> String {
    format!("{}={}", pair.key, pair.value)
}

impl Exported {
    /// The value of a sum, or the count of a histogram, over the series that have all of these attributes.
    pub(crate) fn count(&self, metric: &str, attributes: &[&str]) -> u64 {
        self.matching(metric, attributes).map(|point| point.2).sum()
    }

    /// The sum of a histogram's samples, in the same series.
    pub(crate) fn sum(&self, metric: &str, attributes: &[&str]) -> f64 {
        self.matching(metric, attributes).map(|point| point.3).sum()
    }

    /// How many series a metric has.
    pub(crate) fn series(&self, metric: &str) -> usize {
        self.matching(metric, &[]).count()
    }

    /// Whether each series of a metric lacks an attribute.
    pub(crate) fn lacks(&self, metric: &str, key: &str) -> bool {
        self.matching(metric, &[]).all(|point| point.1.iter().all(|pair| !pair.starts_with(&format!("{key}="))))
    }

    fn matching(&self, metric: &str, attributes: &[&str]) -> impl Iterator<Item = &(String, Vec<String>, u64, f64)> {
        let has = |point: &(String, Vec<String>, u64, f64)| {
            attributes.iter().all(|wanted| point.1.iter().any(|pair| pair == wanted))
        };
        self.0.iter().filter(move |point| point.0 == metric && has(point)).collect::<Vec<_>>().into_iter()
    }
}
