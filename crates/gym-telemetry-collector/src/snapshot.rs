//! Reading what is held.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use serde::Serializer;

use crate::model::{Attributes, Data, Histogram, Metric, Point, Resource};
use crate::otlp::{self, Canonical};

/// Everything that was held at one moment.
///
/// # Example
///
/// ```
/// use gym_telemetry_collector::Snapshot;
///
/// fn scored(state: &Snapshot) -> f64 {
///     state.sum("gym.rollout.completed_total", |series| {
///         series.attributes.str("nemo.gym.rollout.outcome") == Some("scored")
///     })
/// }
///
/// fn mean_by_server(state: &Snapshot) {
///     let servers = state.histograms("gym.verify.duration_ms", |series| {
///         series.resource.attributes().str("nemo.gym.server.name").map(str::to_owned)
///     });
///     for (server, durations) in servers {
///         println!("{server:?}: {} verifications, {:?} ms on average", durations.count, durations.mean());
///     }
/// }
/// # scored(&Snapshot::default());
/// # mean_by_server(&Snapshot::default());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    resources: BTreeMap<Attributes, Arc<Resource>>,
}

/// One series with all that it belongs to.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Series<'a> {
    /// The process.
    pub resource: &'a Resource,
    /// The metric.
    pub metric: &'a Metric,
    /// What tells it from the other series of the metric.
    pub attributes: &'a Attributes,
    /// What it said last.
    pub point: &'a Point,
}

impl Snapshot {
    pub(crate) fn new(resources: BTreeMap<Attributes, Arc<Resource>>) -> Self {
        Self { resources }
    }

    /// Every process, by its attributes.
    pub fn resources(&self) -> impl ExactSizeIterator<Item = &Resource> {
        self.resources.values().map(Arc::as_ref)
    }

    /// Every series of the metrics called `name`, of all processes.
    pub fn series(&self, name: &str) -> impl Iterator<Item = Series<'_>> {
        let metrics = self.resources().flat_map(|resource| resource.metrics().map(move |metric| (resource, metric)));
        let named = metrics.filter(move |(_, metric)| metric.key().name == name);
        named.flat_map(|(resource, metric)| {
            metric.points().map(move |(attributes, point)| Series { resource, metric, attributes, point })
        })
    }

    /// The numbers called `name` of all processes, added up where `choose` says so; zero when there are none.
    ///
    /// Meant for sums. Gauges are added up as well, if that is what is asked for.
    pub fn sum(&self, name: &str, choose: impl Fn(&Series<'_>) -> bool) -> f64 {
        let chosen = self.series(name).filter(|series| choose(series));
        chosen.filter_map(|series| series.point.data.number()).fold(0.0, |sum, number| sum + number)
    }

    /// The numbers called `name` of all processes, added up by what `group` makes of their series.
    pub fn sums<K: Ord>(&self, name: &str, group: impl Fn(&Series<'_>) -> K) -> BTreeMap<K, f64> {
        let mut groups = BTreeMap::new();
        for series in self.series(name) {
            if let Some(number) = series.point.data.number() {
                *groups.entry(group(&series)).or_insert(0.0) += number;
            }
        }
        groups
    }

    /// The histograms called `name` of all processes, merged by what `group` makes of their series; `|_| ()` merges
    /// them all.
    ///
    /// Those whose boundaries differ are merged without buckets, and so are exponential ones.
    pub fn histograms<K: Ord>(&self, name: &str, group: impl Fn(&Series<'_>) -> K) -> BTreeMap<K, Histogram> {
        let mut groups: BTreeMap<K, Histogram> = BTreeMap::new();
        for series in self.series(name) {
            let histogram = match &series.point.data {
                Data::Histogram(histogram) => histogram.as_ref().clone(),
                Data::ExponentialHistogram(histogram) => histogram.without_buckets(),
                _ => continue,
            };
            let key = group(&series);
            match groups.get_mut(&key) {
                Some(merged) => merged.merge(&histogram),
                None => drop(groups.insert(key, histogram)),
            }
        }
        groups
    }

    /// Everything as OTLP: one request for each process, temporality always cumulative.
    pub fn to_otlp(&self) -> Vec<ExportMetricsServiceRequest> {
        self.resources().map(otlp::request).collect()
    }

    /// Writes everything as OTLP JSON: an array with one `ExportMetricsServiceRequest` for each process.
    ///
    /// # Errors
    ///
    /// When `writer` fails. Many small pieces are written, so a file is best wrapped in a `BufWriter`.
    pub fn write_json(&self, writer: impl io::Write) -> io::Result<()> {
        let requests = self.resources().map(|resource| Canonical(otlp::request(resource)));
        serde_json::Serializer::new(writer).collect_seq(requests).map_err(io::Error::from)
    }
}
