//! What is held: processes, metrics, and their series.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use gym_telemetry_collector::{Attributes, Kind, Receipt, Update};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceResponse;

use slab::Slab;

use super::distribution::Bounds;
use super::metric::MetricInfo;
use super::process::{Process, ProcessId, ProcessState};
use super::refused::Refused;
use super::series::{Moment, Series, Track};
use super::settings::Settings;
use super::settled::Settled;
use super::source::Source;

/// A point may arrive so much later than it says and still count when it says; else the clocks differ.
const DELAY_MS: u64 = 60_000;

/// Where a series is, for as long as its process is not forgotten.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) process: ProcessId,
    metric: usize,
    series: usize,
}

/// One metric, of all processes.
#[derive(Debug)]
pub(super) struct Metric {
    pub(super) name: Arc<str>,
    pub(super) kind: Kind,
    pub(super) unit: Arc<str>,
    description: Arc<str>,
    pub(super) series: Slab<Series>,
    /// What processes counted that are forgotten.
    pub(super) settled: Settled,
    /// Every list of boundaries that its histograms have.
    bounds: Vec<Bounds>,
}

/// All that is held.
#[derive(Debug)]
pub(super) struct State {
    pub(super) settings: Settings,
    pub(super) sources: BTreeMap<ProcessId, Source>,
    pub(super) ids: BTreeMap<Attributes, ProcessId>,
    pub(super) metrics: Slab<Metric>,
    pub(super) names: BTreeMap<(String, String, Kind), usize>,
    pub(super) series: usize,
    pub(super) bytes: usize,
    /// How many processes there were.
    seen: u32,
    /// How many of them have been forgotten.
    pub(super) forgotten: u64,
    refused: Refused,
}

impl State {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            settings,
            sources: BTreeMap::new(),
            ids: BTreeMap::new(),
            metrics: Slab::new(),
            names: BTreeMap::new(),
            series: 0,
            bytes: 0,
            seen: 0,
            forgotten: 0,
            refused: Refused::default(),
        }
    }

    /// Makes room for a series that is seen for the first time, unless there is none.
    pub(super) fn add(&mut self, update: &Update<'_>, arrival: u64) -> Option<Place> {
        let process = self.process(update.resource, arrival)?;
        if self.series >= self.settings.max_series {
            return None;
        }
        let place = self.metric(update);
        let metric = self.metrics.get_mut(place)?;
        let track = Track::new(metric.kind);
        let series = metric.series.insert(Series { process, attributes: update.attributes.clone(), track });
        self.series += 1;
        Some(Place { process, metric: place, series })
    }

    /// Takes in a point of a series that has a place.
    pub(super) fn record(&mut self, place: Place, update: &Update<'_>, arrival: u64) {
        let Some(source) = self.sources.get_mut(&place.process) else { return };
        let Some(metric) = self.metrics.get_mut(place.metric) else { return };
        let Some(series) = metric.series.get_mut(place.series) else { return };
        let resolution = millis(self.settings.resolution);
        source.export(arrival, resolution);
        if metric.kind != Kind::Gauge && began_earlier(update) {
            source.mixed = Some(arrival);
        }
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
        if let Some(source) = self.sources.get_mut(&process) {
            source.end(now);
        }
    }

    pub(super) fn processes(&self, now: u64) -> Vec<Process> {
        let process = |(id, source): (&ProcessId, &Source)| Process {
            id: *id,
            resource: source.resource.clone(),
            first_seen: source.first_seen,
            last_seen: source.last_seen,
            state: if self.is_gone(source, now) { ProcessState::Gone } else { ProcessState::Reporting },
            mixed: source.mixed,
        };
        self.sources.iter().map(process).collect()
    }

    /// Whether a process has been silent for too long, or is known to have ended.
    pub(super) fn is_gone(&self, source: &Source, now: u64) -> bool {
        let patience = source.patience(self.settings.gone_after, millis(self.settings.resolution));
        now.saturating_sub(source.last_seen) > patience || source.has_ended(now)
    }

    pub(super) fn metrics(&self) -> Vec<MetricInfo> {
        let info = |metric: &usize| {
            let metric = self.metrics.get(*metric)?;
            let keys = metric.series.iter().flat_map(|(_, series)| series.attributes.iter().map(|(key, _)| key));
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
        let id = ProcessId(self.seen);
        self.seen = self.seen.checked_add(1)?;
        self.sources.insert(id, Source::new(resource.clone(), arrival));
        self.ids.insert(resource.clone(), id);
        Some(id)
    }

    fn metric(&mut self, update: &Update<'_>) -> usize {
        let key = (update.metric.name.clone(), update.metric.unit.clone(), update.metric.kind);
        if let Some(place) = self.names.get(&key) {
            return *place;
        }
        let place = self.metrics.insert(Metric {
            name: key.0.as_str().into(),
            kind: key.2,
            unit: key.1.as_str().into(),
            description: update.description.into(),
            series: Slab::new(),
            settled: Settled::default(),
            bounds: Vec::new(),
        });
        self.names.insert(key, place);
        place
    }
}

/// Whether a point counts since an earlier time than the one before, which no process does that began anew.
fn began_earlier(update: &Update<'_>) -> bool {
    let start = update.point.start_unix_nano;
    start != 0 && update.previous.is_some_and(|before| start < before.start_unix_nano)
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
