//! One series of one process, and what its points mean.

use gym_telemetry_collector::{Attributes, Change, Kind, Update};

use super::distribution::{Bounds, Gain, Gathering};
use super::process::ProcessId;
use super::ring::{Growth, Level, Ring};

/// A counter whose process is new belongs to what can be seen when it began at most so long ago.
const RECENT_MS: u64 = 60_000;

/// One series of one process.
#[derive(Debug)]
pub(super) struct Series {
    pub(super) process: ProcessId,
    pub(super) attributes: Attributes,
    pub(super) track: Track,
}

/// Its past, by what its numbers are.
#[derive(Debug)]
pub(super) enum Track {
    /// Values of gauges and of up-down counters.
    Level(Ring<Level>),
    /// What a counter counted, and its total so far over all restarts.
    Counter { total: f64, ring: Ring<Growth> },
    /// What a distribution gathered.
    Distribution(Box<Distribution>),
}

#[derive(Debug)]
pub(super) struct Distribution {
    /// How many values there were so far, over all restarts.
    pub(super) total: u64,
    /// Empty unless explicit.
    pub(super) bounds: Bounds,
    pub(super) ring: Ring<Gain>,
}

/// When a point counts, in milliseconds since 1970 or in slots.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    pub(super) time: u64,
    /// The export of its process before this one, if there was one.
    pub(super) before: Option<u64>,
    pub(super) resolution: u64,
    /// In slots.
    pub(super) retention: u64,
}

/// How a point follows on the one before it.
enum Growing {
    /// The series goes on.
    On,
    /// All that it counts is new; if this is known, since then.
    Anew { since: Option<u64> },
    /// What it counts was counted at some time before.
    Unseen,
}

impl Track {
    pub(super) fn new(kind: Kind) -> Self {
        match kind {
            Kind::Gauge | Kind::Sum { monotonic: false, .. } => Self::Level(Ring::new()),
            Kind::Sum { .. } => Self::Counter { total: 0.0, ring: Ring::new() },
            _ => Self::Distribution(Box::new(Distribution { total: 0, bounds: [].into(), ring: Ring::new() })),
        }
    }

    /// What is left of one that is forgotten.
    pub(super) fn settled(kind: Kind, total: f64) -> Self {
        let mut track = Self::new(kind);
        match &mut track {
            Self::Level(_) => (),
            Self::Counter { total: held, .. } => *held = total,
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it was a count")]
            Self::Distribution(distribution) => distribution.total = total as u64,
        }
        track
    }

    /// What it counted so far, if it counts and there was something.
    #[expect(clippy::cast_precision_loss, reason = "counts above 2^53 are approximate anyway")]
    pub(super) fn total(&self) -> Option<f64> {
        let total = match self {
            Self::Level(_) => 0.0,
            Self::Counter { total, .. } => *total,
            Self::Distribution(distribution) => distribution.total as f64,
        };
        Some(total).filter(|total| *total != 0.0)
    }

    /// Takes in a point. `share` finds boundaries that others have as well.
    pub(super) fn record(&mut self, update: &Update<'_>, moment: &Moment, share: impl FnOnce(&[f64]) -> Bounds) {
        let slot = moment.slot(moment.time);
        let number = || update.point.data.number().filter(|number| number.is_finite());
        match self {
            Self::Level(ring) => {
                if let Some(number) = number() {
                    ring.push(slot, Level(number), moment.retention);
                }
            }
            Self::Counter { total, ring } => {
                let Some(number) = number() else { return };
                let before = update.previous.and_then(|point| point.data.number());
                let growth = match moment.growing(update, before.is_some_and(|before| number < before)) {
                    Growing::On => number - before.unwrap_or(0.0),
                    Growing::Anew { since } => {
                        anchor(ring, since.map(|since| moment.slot(since)), slot, moment, Growth(0.0));
                        number
                    }
                    Growing::Unseen => {
                        *total += number;
                        0.0
                    }
                };
                *total += growth;
                ring.push(slot, Growth(growth), moment.retention);
            }
            Self::Distribution(distribution) => distribution.record(update, moment, share),
        }
    }

    /// Forgets the oldest of its past, if there is enough of it.
    pub(super) fn shed(&mut self) -> bool {
        match self {
            Self::Level(ring) => ring.shed(),
            Self::Counter { ring, .. } => ring.shed(),
            Self::Distribution(distribution) => distribution.ring.shed(),
        }
    }

    /// Bytes that its past occupies.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Level(ring) => ring.bytes(),
            Self::Counter { ring, .. } => ring.bytes(),
            Self::Distribution(distribution) => distribution.ring.bytes(),
        }
    }
}

impl Distribution {
    fn record(&mut self, update: &Update<'_>, moment: &Moment, share: impl FnOnce(&[f64]) -> Bounds) {
        let Some(now) = Gathering::new(&update.point.data) else { return };
        let before = update.previous.and_then(|point| Gathering::new(&point.data));
        let slot = moment.slot(moment.time);
        if *self.bounds != *now.bounds() {
            // Buckets of other boundaries are not comparable, so the past goes with them.
            self.bounds = share(now.bounds());
            self.ring = Ring::new();
        }
        let gain = match moment.growing(update, before.is_some_and(|before| now.count < before.count)) {
            Growing::On => before.map_or_else(|| now.all(), |before| now.since(&before)),
            Growing::Anew { since } => {
                anchor(&mut self.ring, since.map(|since| moment.slot(since)), slot, moment, Gain::none());
                now.all()
            }
            Growing::Unseen => {
                self.total = self.total.saturating_add(now.count);
                Gain::none()
            }
        };
        self.total = self.total.saturating_add(gain.count());
        self.ring.push(slot, gain, moment.retention);
    }
}

/// Says since when all that a series counts was counted, where its past does not say so.
fn anchor<S: super::ring::Sample>(ring: &mut Ring<S>, since: Option<u64>, slot: u64, moment: &Moment, nothing: S) {
    if let Some(since) = since.filter(|since| *since < slot && ring.newest().is_none_or(|newest| newest < *since)) {
        ring.push(since, nothing, moment.retention);
    }
}

impl Moment {
    /// The slot of a time.
    pub(super) fn slot(&self, time: u64) -> u64 {
        time / self.resolution
    }

    fn growing(&self, update: &Update<'_>, fell: bool) -> Growing {
        let start = Some(update.point.start_unix_nano / 1_000_000).filter(|start| *start > 0);
        match update.change {
            Change::New => match (self.before, start) {
                (None, Some(start)) if start.saturating_add(RECENT_MS) >= self.time => {
                    Growing::Anew { since: Some(start) }
                }
                (None, _) => Growing::Unseen,
                (before, start) => Growing::Anew { since: before.max(start) },
            },
            Change::Restarted => Growing::Anew { since: start },
            _ if fell => Growing::Anew { since: None },
            _ => Growing::On,
        }
    }
}
