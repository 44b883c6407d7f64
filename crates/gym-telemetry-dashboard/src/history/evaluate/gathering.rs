//! What distributions gathered in each step.

use super::counts::spread;
use super::grid::Grid;
use crate::history::distribution::Gathered;
use crate::history::query::Select;
use crate::history::series::Distribution;

/// Adds what a series gathered to the steps in which it did.
#[expect(clippy::cast_precision_loss, reason = "slots are few")]
pub(super) fn gather(distribution: &Distribution, grid: &Grid, steps: &mut [Gathered]) {
    spread(&distribution.ring, grid, |slots, gain| {
        let width = slots.end - slots.start;
        for (step, within) in grid.overlaps(slots) {
            if let Some(gathered) = steps.get_mut(step) {
                gathered.add(gain, &distribution.bounds, within as f64 / width as f64);
            }
        }
    });
}

/// The number that is meant, of each step that gathered something.
pub(super) fn numbers(steps: &[Gathered], select: Select) -> Vec<Option<f64>> {
    let number = |step: &Gathered| match select {
        _ if step.count == 0.0 => None,
        Select::Sum => Some(step.sum),
        Select::Mean => Some(step.sum / step.count),
        Select::Quantile(quantile) => step.quantile(quantile),
        _ => Some(step.count),
    };
    steps.iter().map(|step| number(step).filter(|number| number.is_finite())).collect()
}

/// How many values came into each bucket, by its upper boundary.
pub(super) fn by_bucket(mut steps: Vec<Gathered>) -> Vec<(f64, Vec<Option<f64>>)> {
    Gathered::align(&mut steps);
    let mut lines: Vec<(f64, Vec<Option<f64>>)> = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        for (upper, count) in step.by_bound() {
            let place = lines.binary_search_by(|(held, _)| held.total_cmp(&upper));
            let place = place.unwrap_or_else(|place| {
                lines.insert(place, (upper, vec![None; steps.len()]));
                place
            });
            if let Some(value) = lines.get_mut(place).and_then(|(_, values)| values.get_mut(at)) {
                *value.get_or_insert(0.0) += count;
            }
        }
    }
    lines
}
