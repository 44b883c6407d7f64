//! Growth, spread over the time in which it came about.

use std::ops::Range;

use super::grid::{Grid, Patience};
use crate::history::ring::{Ring, Sample};

/// Shows each point with the slots in which it came about.
pub(super) fn spread<S: Sample>(ring: &Ring<S>, grid: &Grid, mut see: impl FnMut(Range<u64>, &S)) {
    let mut next: Option<u64> = None;
    ring.read(grid.start(), |slot, width, sample| {
        let since = next.unwrap_or((slot + 1).saturating_sub(width)).min(slot);
        see(since..slot + 1, sample);
        next = Some(slot + 1);
    });
}

/// The growth in each step, and in how many of its slots it came about; nothing where there are none.
#[expect(clippy::cast_precision_loss, reason = "slots are few")]
pub(super) fn increases<S: Sample>(ring: &Ring<S>, grid: &Grid, growth: impl Fn(&S) -> f64) -> Vec<Option<(f64, u64)>> {
    let mut increases = vec![None; grid.steps];
    spread(ring, grid, |slots, sample| {
        let (growth, width) = (growth(sample), slots.end - slots.start);
        for (step, within) in grid.overlaps(slots) {
            if let Some(increase) = increases.get_mut(step) {
                let (sum, covered) = increase.get_or_insert((0.0, 0));
                *sum += growth * (within as f64 / width as f64);
                *covered += within;
            }
        }
    });
    increases
}

/// The growth a second in each step, averaged over the slots in which it came about. Behind the newest point its rate
/// holds as long as the series has patience.
#[expect(clippy::cast_precision_loss, reason = "slots are few")]
pub(super) fn rates<S: Sample>(
    ring: &Ring<S>,
    grid: &Grid,
    patience: &Patience,
    growth: impl Fn(&S) -> f64,
) -> Vec<Option<f64>> {
    let until = ring.newest().map_or(0, |newest| patience.until(newest));
    let mut held = None;
    let rates = increases(ring, grid, growth).into_iter().enumerate().map(|(step, increase)| {
        held = match increase {
            Some((sum, covered)) => Some(sum * 1000.0 / (covered * grid.resolution) as f64),
            None => held.filter(|_| grid.last_slot(step) < until),
        };
        held
    });
    rates.collect()
}

/// The total at the end of each step, given that of now.
pub(super) fn totals<S: Sample>(
    ring: &Ring<S>,
    grid: &Grid,
    total: f64,
    growth: impl Fn(&S) -> f64,
) -> Vec<Option<f64>> {
    let mut points = Vec::new();
    ring.read(grid.start(), |slot, _, sample| points.push((slot, growth(sample))));
    let mut before = total - points.iter().map(|(_, growth)| growth).sum::<f64>();
    let mut points = points.into_iter().peekable();
    // Without any past it is what was counted before it.
    let mut known = points.peek().is_none() && total != 0.0;
    let totals = (0..grid.steps).map(|step| {
        while let Some((_, growth)) = points.next_if(|(slot, _)| *slot <= grid.last_slot(step)) {
            before += growth;
            known = true;
        }
        known.then_some(before)
    });
    totals.collect()
}
