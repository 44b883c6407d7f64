//! One process as it is held.

use gym_telemetry_collector::Attributes;

/// Until a process has exported twice, it is taken to do so once a minute, as OpenTelemetry does by default.
const ASSUMED_INTERVAL_MS: u64 = 60_000;

/// One process as it is held. Times are in milliseconds since 1970.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) resource: Attributes,
    pub(super) first_seen: u64,
    pub(super) last_seen: u64,
    /// The arrival of the export before the latest.
    pub(super) before: Option<u64>,
    interval: Option<u64>,
    ended: Option<u64>,
    /// When a point last showed that this is several processes.
    pub(super) mixed: Option<u64>,
}

impl Source {
    pub(super) fn new(resource: Attributes, arrival: u64) -> Self {
        let (first_seen, last_seen) = (arrival, arrival);
        Self { resource, first_seen, last_seen, before: None, interval: None, ended: None, mixed: None }
    }

    /// Notes an export. Those that are closer together than half of `resolution` are parts of one.
    pub(super) fn export(&mut self, arrival: u64, resolution: u64) {
        self.ended = None;
        let passed = arrival.saturating_sub(self.last_seen);
        if passed >= resolution.div_ceil(2) {
            // A pause makes the interval long at once; it takes a while to be short again.
            let usual = self.interval.map_or(passed, |interval| interval / 4 * 3 + passed / 4);
            self.interval = Some(usual.max(passed));
            self.before = Some(self.last_seen);
            self.last_seen = arrival;
        }
    }

    /// Notes that it is known to have ended.
    pub(super) fn end(&mut self, time: u64) {
        self.ended = Some(time);
    }

    /// When it ended, if that is known.
    pub(super) fn ended(&self) -> Option<u64> {
        self.ended
    }

    /// Whether it is known to have ended by `time`.
    pub(super) fn has_ended(&self, time: u64) -> bool {
        self.ended.is_some_and(|ended| ended <= time)
    }

    /// For how long silence means nothing.
    pub(super) fn patience(&self, gone_after: u32, resolution: u64) -> u64 {
        self.interval.unwrap_or(ASSUMED_INTERVAL_MS).max(resolution).saturating_mul(gone_after.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exports(arrivals: impl IntoIterator<Item = u64>) -> Source {
        let mut source = Source::new(Attributes::from_iter([]), 0);
        arrivals.into_iter().for_each(|arrival| source.export(arrival, 1000));
        source
    }

    #[test]
    fn the_interval_is_that_between_exports() {
        assert_eq!(exports([]).patience(5, 1000), 300_000, "nothing is known yet");
        assert_eq!(exports([2000, 4000, 6000]).patience(5, 1000), 10_000);
        assert_eq!(exports([500, 1000]).patience(5, 1000), 5000, "not below the resolution");
    }

    #[test]
    fn parts_of_an_export_are_no_interval() {
        let source = exports([5, 10, 4000, 4005]);
        assert_eq!((source.patience(1, 1000), source.last_seen, source.before), (4000, 4000, Some(0)));
    }

    #[test]
    fn a_longer_interval_holds_at_once() {
        assert_eq!(exports([1000, 61_000]).patience(1, 1000), 60_000);
        assert!(exports([1000, 61_000, 62_000, 63_000]).patience(1, 1000) > 30_000);
    }

    #[test]
    fn an_export_revives() {
        let mut source = exports([1000]);
        source.end(1500);
        assert!(source.has_ended(1500) && !source.has_ended(1499));
        source.export(2000, 1000);
        assert!(!source.has_ended(9999));
    }
}
