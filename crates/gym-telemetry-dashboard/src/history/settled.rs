//! What remains of processes that are forgotten.

use std::collections::{BTreeMap, BTreeSet};

use gym_telemetry_collector::{Attributes, Kind};
use gym_telemetry_conventions::resource;

use super::process::ProcessId;
use super::series::{Series, Track};
use super::source::Source;
use super::state::{State, millis};

/// What a server is called stays when its process is forgotten.
const LASTING: [&str; 4] =
    [resource::SERVICE_NAME, resource::SERVICE_GROUP, resource::SERVER_NAME, resource::SERVER_TYPE];

/// What processes counted that are forgotten: one total for each server and each set of attributes.
pub(super) type Settled = BTreeMap<(Attributes, Attributes), f64>;

impl State {
    /// Forgets the processes that have been gone for longer than the past reaches back.
    pub(super) fn forget_old(&mut self, now: u64) {
        let since = now.saturating_sub(millis(self.settings.retention));
        let old = self.sources.iter().filter(|(_, source)| source.last_seen < since && self.is_gone(source, now));
        let old: BTreeSet<_> = old.map(|(id, _)| *id).collect();
        if !old.is_empty() {
            self.forget(&old);
        }
    }

    /// Forgets a process, unless it reports; whether it is not known now.
    pub(super) fn lets_go(&mut self, process: &Attributes, now: u64) -> bool {
        let Some(id) = self.ids.get(process).copied() else { return true };
        let gone = self.sources.get(&id).is_none_or(|source| self.is_gone(source, now));
        if gone {
            self.forget(&BTreeSet::from([id]));
        }
        gone
    }

    /// Forgets these processes, but for what they counted.
    fn forget(&mut self, processes: &BTreeSet<ProcessId>) {
        let most = self.settings.max_series;
        let mut settled: usize = self.metrics.iter().map(|(_, metric)| metric.settled.len()).sum();
        for (_, metric) in &mut self.metrics {
            let gone = metric.series.iter().filter(|(_, series)| processes.contains(&series.process));
            let gone: Vec<_> = gone.map(|(place, _)| place).collect();
            for series in gone.into_iter().map(|place| metric.series.remove(place)) {
                self.series -= 1;
                self.bytes -= series.track.bytes();
                let Some(total) = series.track.total() else { continue };
                let server = self.sources.get(&series.process).map(lasting);
                let key = server.filter(|_| settled < most).map(|server| (server, series.attributes));
                let before = metric.settled.len();
                // Beyond the limit there is one total for all.
                *metric.settled.entry(key.unwrap_or_else(|| (none(), none()))).or_default() += total;
                settled += metric.settled.len() - before;
            }
        }
        self.metrics.retain(|_, metric| !metric.series.is_empty() || !metric.settled.is_empty());
        let metrics = &self.metrics;
        self.names.retain(|_, place| metrics.contains(*place));
        self.sources.retain(|id, _| !processes.contains(id));
        self.ids.retain(|_, id| !processes.contains(id));
        self.forgotten += processes.len() as u64;
    }
}

fn lasting(source: &Source) -> Attributes {
    let lasting = source.resource.iter().filter(|(key, _)| LASTING.contains(key));
    lasting.map(|(key, value)| (key.to_owned(), value.clone())).collect()
}

fn none() -> Attributes {
    Attributes::from_iter([])
}

/// The settled totals of a metric of this kind, as series of no process.
pub(super) fn series(kind: Kind, settled: &Settled) -> impl Iterator<Item = (Source, Series)> {
    settled.iter().map(move |((server, attributes), total)| {
        let series =
            Series { process: ProcessId::GONE, attributes: attributes.clone(), track: Track::settled(kind, *total) };
        (Source::new(server.clone(), 0), series)
    })
}
