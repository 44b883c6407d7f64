//! Values that hold until the next one.

use super::grid::{Grid, Patience};
use crate::history::ring::{Level, Ring};

/// The value at the end of each step, where the series has patience with it.
pub(super) fn values(ring: &Ring<Level>, grid: &Grid, patience: &Patience) -> Vec<Option<f64>> {
    let mut values = Vec::with_capacity(grid.steps);
    // Up to which slot the value before holds, and the value.
    let mut held: Option<(u64, f64)> = None;
    let mut fill = |next: u64, held: Option<(u64, f64)>| {
        while values.len() < grid.steps && grid.last_slot(values.len()) < next {
            let at = grid.last_slot(values.len());
            values.push(held.filter(|(until, _)| at < *until).map(|(_, value)| value));
        }
    };
    ring.read(grid.start(), |slot, width, level| {
        fill(slot, held);
        held = Some((patience.until(slot).max(slot + width), level.0));
    });
    fill(u64::MAX, held);
    values
}
