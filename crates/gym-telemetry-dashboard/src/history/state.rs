//! What is held: processes, metrics, and their series.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use gym_telemetry_collector::{Attributes, Kind, Receipt, Update};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceResponse;

use super::distribution::Bounds;
use super::metric::MetricInfo;
use super::process::{Process, ProcessId, ProcessState};
use super::refused::Refused;
use super::series::{Moment, Series, Track};
use super::settings::Settings;
use super::source::Source;

/// A point may arrive so much later than it says and still count when it says; else the clocks differ.
const DELAY_MS: u64 = 60_000;

/// Where a series is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    metric: u32,
    series: u32,
}

/// One metric, of all processes.
#[derive(Debug)]
pub(super) struct Metric {
    pub(super) name: Arc<str>,
    pub(super) kind: Kind,
    pub(super) unit: Arc<str>,
    description: Arc<str>,
    pub(super) series: Vec<Series>,
    /// Every list of boundaries that its histograms have.
    bounds: Vec<Bounds>,
}

/// All that is held.
#[derive(Debug)]
pub(super) struct State {
    pub(super) settings: Settings,
    pub(super) sources: Vec<Source>,
    ids: BTreeMap<Attributes, ProcessId>,
    pub(super) metrics: Vec<Metric>,
    names: BTreeMap<(String, String, Kind), u32>,
    series: usize,
    bytes: usize,
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
            bytes: 0,
            refused: Refused::default(),
        }
    }

    /// Makes room for a series that is seen for the first time, unless there is none.
    pub(super) fn add(&mut self, update: &Update<'_>, arrival: u64) -> Option<Place> {
        if self.series >= self.settings.max_series {
            return None;
        }
        let process = self.process(update.resource, arrival)?;
        let place = self.metric(update)?;
        let metric = self.metrics.get_mut(place as usize)?;
        let series = u32::try_from(metric.series.len()).ok()?;
        metric.series.push(Series { process, attributes: update.attributes.clone(), track: Track::new(metric.kind) });
        self.series += 1;
        Some(Place { metric: place, series })
    }

    /// Takes in a point of a series that has a place.
    pub(super) fn record(&mut self, place: Place, update: &Update<'_>, arrival: u64) {
        let Some(metric) = self.metrics.get_mut(place.metric as usize) else { return };
        let Some(series) = metric.series.get_mut(place.series as usize) else { return };
        let Some(source) = self.sources.get_mut(series.process.get() as usize) else { return };
        let resolution = millis(self.settings.resolution);
        source.export(arrival, resolution);
        let time = update.point.time_unix_nano / 1_000_000;
        let moment = Moment {
            time: if (arrival.saturating_sub(DELAY_MS)..=arrival).contains(&time) { time } else { arrival },
            before: source.before,
            resolution,
            retention: millis(self.settings.retention) / resolution,
        };
        let before = series.track.bytes();
        let over = self.bytes > self.settings.max_bytes;
        if over && !series.track.shed() {
            return self.refused.over_limit += 1;
        }
        self.refused.shortened += u64::from(over);
        series.track.record(update, &moment, |bounds| share(&mut metric.bounds, bounds));
        self.bytes = self.bytes - before + series.track.bytes();
    }

    /// Notes that a point of a series without a place came.
    pub(super) fn refuse(&mut self) {
        self.refused.over_limit += 1;
    }

    /// Notes what the collector did not take in of a request.
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
        if let Some(source) = self.sources.get_mut(process.get() as usize) {
            source.end(now);
        }
    }

    pub(super) fn processes(&self, now: u64) -> Vec<Process> {
        let resolution = millis(self.settings.resolution);
        let process = |(id, source): (u32, &Source)| {
            let silence = now.saturating_sub(source.last_seen);
            let silent = silence > source.patience(self.settings.gone_after, resolution);
            Process {
                id: ProcessId(id),
                resource: source.resource.clone(),
                first_seen: source.first_seen,
                last_seen: source.last_seen,
                state: if silent || source.has_ended(now) { ProcessState::Gone } else { ProcessState::Reporting },
            }
        };
        (0..).zip(&self.sources).map(process).collect()
    }

    pub(super) fn metrics(&self) -> Vec<MetricInfo> {
        let info = |metric: &u32| {
            let metric = self.metrics.get(*metric as usize)?;
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

    fn process(&mut self, resource: &Attributes, arrival: u64) -> Option<ProcessId> {
        if let Some(id) = self.ids.get(resource) {
            return Some(*id);
        }
        let id = ProcessId(u32::try_from(self.sources.len()).ok()?);
        self.sources.push(Source::new(resource.clone(), arrival));
        self.ids.insert(resource.clone(), id);
        Some(id)
    }

    fn metric(&mut self, update: &Update<'_>) -> Option<u32> {
        let key = (update.metric.name.clone(), update.metric.unit.clone(), update.metric.kind);
        if let Some(place) = self.names.get(&key) {
            return Some(*place);
        }
        let place = u32::try_from(self.metrics.len()).ok()?;
        self.metrics.push(Metric {
            name: key.0.as_str().into(),
            kind: key.2,
            unit: key.1.as_str().into(),
            description: update.description.into(),
            series: Vec::new(),
            bounds: Vec::new(),
        });
        self.names.insert(key, place);
        Some(place)
    }
}

/// The same boundaries as others have them.
fn share(known: &mut Vec<Bounds>, bounds: &[f64]) -> Bounds {
    if let Some(shared) = known.iter().find(|known| known.as_ref() == bounds) {
        return Bounds::clone(shared);
    }
    let shared = Bounds::from(bounds);
    known.push(Bounds::clone(&shared));
    shared
}

/// A duration in milliseconds.
pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
