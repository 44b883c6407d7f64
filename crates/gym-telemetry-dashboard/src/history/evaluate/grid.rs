//! The steps of an answer.

use std::ops::Range;

use crate::history::query::Query;
use crate::history::settings::Settings;
use crate::history::state::millis;

/// So many values an answer has at most, unless the query asks for shorter steps.
const USUAL_STEPS: u64 = 300;

/// So many values an answer has at most.
const MOST_STEPS: u64 = 10_000;

/// Steps of equal length, each from one multiple of it to the next. Counted in slots.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    /// The first step, counted from 1970.
    first: u64,
    pub(super) steps: usize,
    /// The length of a step.
    pub(super) length: u64,
    /// The slot of the present.
    pub(super) now: u64,
    /// The length of a slot, in milliseconds.
    pub(super) resolution: u64,
}

/// How long a series that says nothing may still be as it was. In slots.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    pub(super) slots: u64,
    /// When its process is known to have ended.
    pub(super) end: u64,
}

impl Patience {
    /// Up to which slot, without it, a point at `slot` holds.
    pub(super) fn until(&self, slot: u64) -> u64 {
        slot.saturating_add(self.slots).saturating_add(1).min(self.end)
    }
}

impl Grid {
    pub(super) fn new(query: &Query, settings: &Settings, now: u64) -> Self {
        let resolution = millis(settings.resolution);
        let since = millis(query.since.min(settings.retention)).div_ceil(resolution).max(1);
        let wanted = query.step.map_or(since.div_ceil(USUAL_STEPS), |step| millis(step).div_ceil(resolution));
        let length = wanted.max(since.div_ceil(MOST_STEPS)).max(1);
        let now = now / resolution;
        let end = query.until.map_or(now, |until| (until / resolution).min(now)) / length + 1;
        let steps = since.div_ceil(length).min(end);
        Self { first: end - steps, steps: usize::try_from(steps).unwrap_or(0), length, now, resolution }
    }

    /// The end of each step, in milliseconds since 1970.
    pub(super) fn times(&self) -> Vec<u64> {
        (self.first + 1..).map(|step| step * self.length * self.resolution).take(self.steps).collect()
    }

    /// The first slot of the first step.
    pub(super) fn start(&self) -> u64 {
        self.first * self.length
    }

    /// The last slot of a step that is not in the future.
    pub(super) fn last_slot(&self, step: usize) -> u64 {
        ((self.first + step as u64 + 1) * self.length - 1).min(self.now)
    }

    /// The steps with slots of `slots`, and how many.
    pub(super) fn overlaps(&self, slots: Range<u64>) -> impl Iterator<Item = (usize, u64)> + use<> {
        let Self { first, steps, length, .. } = *self;
        let begin = (slots.start / length).max(first);
        let end = slots.end.div_ceil(length).min(first + steps as u64);
        (begin..end).filter_map(move |step| {
            let within = slots.end.min((step + 1) * length) - slots.start.max(step * length);
            Some((usize::try_from(step - first).ok()?, within))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn grid(since: u64, step: u64) -> Grid {
        let query = Query::new("m").since(Duration::from_secs(since)).step(Duration::from_secs(step));
        Grid::new(&query, &Settings::new(), 100_500)
    }

    #[test]
    fn steps_end_at_multiples_of_their_length() {
        assert_eq!(grid(30, 10).times(), [90_000, 100_000, 110_000]);
        assert_eq!(grid(3, 1).times(), [99_000, 100_000, 101_000]);
        assert_eq!((grid(30, 10).start(), grid(30, 10).last_slot(0), grid(30, 10).last_slot(2)), (80, 89, 100));
    }

    #[test]
    fn steps_never_are_too_many() {
        let query = Query::new("m").since(Duration::MAX).step(Duration::ZERO);
        let long = Settings::new().retention(Duration::from_secs(1_000_000));
        assert_eq!(Grid::new(&query, &long, 2_000_000_000).steps, 10_000);
        assert_eq!(Grid::new(&Query::new("m").since(Duration::MAX), &Settings::new(), 7_200_000).steps, 300);
    }

    #[test]
    fn slots_fall_into_steps() {
        let overlaps = |slots| grid(30, 10).overlaps(slots).collect::<Vec<_>>();
        assert_eq!(overlaps(85..105), [(0, 5), (1, 10), (2, 5)]);
        assert_eq!(overlaps(0..81), [(0, 1)]);
        assert_eq!(overlaps(0..80), []);
        assert_eq!(overlaps(110..120), []);
    }
}
