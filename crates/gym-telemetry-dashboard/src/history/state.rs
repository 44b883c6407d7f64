//! What is held: processes, metrics, and their series.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gym_telemetry_collector::{Attributes, Change, Data, Kind, Receipt, Update};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceResponse;

use super::metric::MetricInfo;
use super::process::{Process, ProcessId, ProcessState};
use super::refused::Refused;
use super::settings::Settings;

/// Until a process has exported twice, it is taken to do so once a minute, as OpenTelemetry does by default.
const ASSUMED_INTERVAL_MS: u64 = 60_000;

/// Where a series is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    metric: usize,
    series: usize,
}

pub(super) struct Source {
    pub(super) resource: Attributes,
    first_seen: u64,
    last_seen: u64,
    interval: u64,
    ended: Option<u64>,
}

pub(super) struct Metric {
    pub(super) name: Arc<str>,
    pub(super) kind: Kind,
    pub(super) unit: Arc<str>,
    description: Arc<str>,
    pub(super) series: Vec<Series>,
}

pub(super) struct Series {
    pub(super) process: ProcessId,
    pub(super) attributes: Attributes,
    /// Values of gauges and up-down counters, growth of all else.
    pub(super) points: Vec<(u64, f64)>,
    pub(super) total: f64,
}

pub(super) struct State {
    pub(super) settings: Settings,
    pub(super) sources: Vec<Source>,
    ids: BTreeMap<Attributes, ProcessId>,
    pub(super) metrics: Vec<Metric>,
    names: BTreeMap<(String, String, Kind), usize>,
    series: usize,
    refused: Refused,
}

impl State {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            settings,
            sources: Vec::new(),
            ids: BTreeMap::new(),
            metrics: Vec::new(),
            names: BTreeMap::new(),
            series: 0,
            refused: Refused::default(),
        }
    }

    pub(super) fn add(&mut self, update: &Update<'_>, arrival: u64) -> Option<Place> {
        if self.series >= self.settings.max_series {
            return None;
        }
        self.series += 1;
        let next = ProcessId(u32::try_from(self.sources.len()).ok()?);
        let process = *self.ids.entry(update.resource.clone()).or_insert_with(|| {
            let resource = update.resource.clone();
            let interval = ASSUMED_INTERVAL_MS;
            self.sources.push(Source { resource, first_seen: arrival, last_seen: arrival, interval, ended: None });
            next
        });
        let key = update.metric;
        let metric = *self.names.entry((key.name.clone(), key.unit.clone(), key.kind)).or_insert_with(|| {
            self.metrics.push(Metric {
                name: key.name.as_str().into(),
                kind: key.kind,
                unit: key.unit.as_str().into(),
                description: update.description.into(),
                series: Vec::new(),
            });
            self.metrics.len() - 1
        });
        let series = &mut self.metrics.get_mut(metric)?.series;
        series.push(Series { process, attributes: update.attributes.clone(), points: Vec::new(), total: 0.0 });
        Some(Place { metric, series: series.len() - 1 })
    }

    pub(super) fn record(&mut self, place: Place, update: &Update<'_>, arrival: u64) {
        let Some(metric) = self.metrics.get_mut(place.metric) else { return };
        let Some(series) = metric.series.get_mut(place.series) else { return };
        if let Some(source) = self.sources.get_mut(series.process.0 as usize) {
            let passed = arrival.saturating_sub(source.last_seen);
            if passed > 0 {
                source.interval = passed;
                source.last_seen = arrival;
            }
            source.ended = None;
        }
        let Some(number) = number(&update.point.data) else { return };
        let point = match metric.kind {
            Kind::Gauge | Kind::Sum { monotonic: false, .. } => number,
            _ => {
                let before = update.previous.and_then(|point| self::number(&point.data));
                let before = before.filter(|before| update.change == Change::Continued && *before <= number);
                let growth = number - before.unwrap_or(0.0);
                series.total += growth;
                growth
            }
        };
        series.points.push((arrival, point));
    }

    pub(super) fn refuse(&mut self, points: u64) {
        self.refused.over_limit += points;
    }

    pub(super) fn note(&mut self, receipt: &Receipt, response: &ExportMetricsServiceResponse) {
        self.refused.over_limit += receipt.over_limit;
        self.refused.malformed += receipt.malformed;
        if let Some(partial) = &response.partial_success {
            self.refused.reason.clone_from(&partial.error_message);
        }
    }

    pub(super) fn refused(&self) -> Refused {
        self.refused.clone()
    }

    pub(super) fn end(&mut self, process: ProcessId, now: u64) {
        if let Some(source) = self.sources.get_mut(process.0 as usize) {
            source.ended = Some(now);
        }
    }

    pub(super) fn processes(&self, now: u64) -> Vec<Process> {
        let process = |(id, source): (u32, &Source)| Process {
            id: ProcessId(id),
            resource: source.resource.clone(),
            first_seen: source.first_seen,
            last_seen: source.last_seen,
            state: if source.reports(now, self.settings.gone_after) {
                ProcessState::Reporting
            } else {
                ProcessState::Gone
            },
        };
        (0..).zip(&self.sources).map(process).collect()
    }

    pub(super) fn metrics(&self) -> Vec<MetricInfo> {
        let info = |metric: &usize| {
            let metric = self.metrics.get(*metric)?;
            let keys = metric.series.iter().flat_map(|series| series.attributes.iter().map(|(key, _)| key));
            let keys: BTreeSet<_> = keys.collect();
            Some(MetricInfo {
                name: Arc::clone(&metric.name),
                kind: metric.kind,
                unit: Arc::clone(&metric.unit),
                description: Arc::clone(&metric.description),
                attributes: keys.into_iter().map(str::to_owned).collect(),
                series: metric.series.len(),
            })
        };
        self.names.values().filter_map(info).collect()
    }
}

impl Source {
    /// Whether it is not gone at `time`.
    pub(super) fn reports(&self, time: u64, gone_after: u32) -> bool {
        let horizon = self.interval.saturating_mul(gone_after.into());
        self.ended.is_none_or(|ended| time < ended) && time <= self.last_seen.saturating_add(horizon)
    }
}

/// The number of a point; of distributions, how many values there were.
#[expect(clippy::cast_precision_loss, reason = "counts above 2^53 are approximate anyway")]
fn number(data: &Data) -> Option<f64> {
    match data {
        Data::Histogram(histogram) => Some(histogram.count as f64),
        Data::ExponentialHistogram(histogram) => Some(histogram.count as f64),
        Data::Summary(summary) => Some(summary.count as f64),
        number => number.number(),
    }
}
