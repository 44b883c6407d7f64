//! What several distributions gathered, for answers.

use std::collections::BTreeMap;

use super::buckets;
use super::gain::{Bounds, Gain};

/// So many exponential buckets an answer has at most.
const MOST_BUCKETS: usize = 40;

/// What distributions gathered in one step.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gathered {
    pub(crate) count: f64,
    pub(crate) sum: f64,
    cells: Cells,
}

/// Counts by bucket. Parts of a value come from growth that is spread over several steps.
#[derive(Debug, Clone, Default)]
enum Cells {
    /// There are no values yet.
    #[default]
    None,
    Explicit {
        bounds: Bounds,
        counts: Vec<f64>,
    },
    Exponential {
        scale: i32,
        counts: BTreeMap<i64, f64>,
    },
    /// Buckets that cannot be brought together, or values without buckets.
    Unknown,
}

impl Gathered {
    /// Adds this part of a gain; `bounds` is empty unless its buckets are explicit.
    pub(crate) fn add(&mut self, gain: &Gain, bounds: &Bounds, part: f64) {
        if gain.count == 0 {
            return;
        }
        self.count += float(gain.count) * part;
        self.sum += gain.sum * part;
        if gain.cells.is_empty() {
            self.cells = Cells::Unknown;
        } else if bounds.is_empty() {
            self.add_exponential(gain, part);
        } else {
            self.add_explicit(gain, bounds, part);
        }
    }

    /// The value that this part of all values does not exceed.
    pub(crate) fn quantile(&self, quantile: f64) -> Option<f64> {
        let buckets = self.buckets();
        let total: f64 = buckets.iter().map(|bucket| bucket.count).sum();
        let mut rank = quantile * total;
        let last = buckets.iter().rposition(|bucket| bucket.count > 0.0)?;
        let holder = buckets.iter().take(last + 1).position(|bucket| {
            let within = rank <= bucket.count && bucket.count > 0.0;
            rank -= if within { 0.0 } else { bucket.count };
            within
        });
        let bucket = buckets.get(holder.unwrap_or(last))?;
        let part = if bucket.count > 0.0 { (rank / bucket.count).clamp(0.0, 1.0) } else { 0.0 };
        Some(bucket.at(part, matches!(self.cells, Cells::Exponential { .. })))
    }

    /// The upper boundary and the count of each bucket, rising.
    pub(crate) fn by_bound(&self) -> impl Iterator<Item = (f64, f64)> {
        self.buckets().into_iter().map(|bucket| (bucket.upper, bucket.count))
    }

    /// Brings the buckets of all steps together, so that they can stand in rows.
    pub(crate) fn align(steps: &mut [Self]) {
        Self::align_explicit(steps);
        Self::align_exponential(steps);
    }

    /// Leaves the boundaries that all steps have. Of those that have none in common the latest count.
    fn align_explicit(steps: &mut [Self]) {
        let mut shared: Option<Bounds> = None;
        for step in steps.iter_mut().rev() {
            if let Some(shared) = &shared {
                step.cells.restrict(shared);
            }
            if let Cells::Explicit { bounds, .. } = &step.cells {
                shared = Some(Bounds::clone(bounds));
            }
        }
        if let Some(shared) = &shared {
            steps.iter_mut().for_each(|step| step.cells.restrict(shared));
        }
    }

    /// Finds a scale at which there are not too many buckets.
    fn align_exponential(steps: &mut [Self]) {
        let scales = steps.iter().filter_map(|step| match &step.cells {
            Cells::Exponential { scale, .. } => Some(*scale),
            _ => None,
        });
        let Some(mut scale) = scales.min() else { return };
        loop {
            let mut keys: Vec<i64> = Vec::new();
            for step in &mut *steps {
                if let Cells::Exponential { scale: held, counts } = &mut step.cells {
                    coarsen(held, counts, scale);
                    keys.extend(counts.keys());
                }
            }
            keys.sort_unstable();
            keys.dedup();
            if keys.len() <= MOST_BUCKETS || scale <= -10 {
                return;
            }
            scale -= 1;
        }
    }

    fn add_explicit(&mut self, gain: &Gain, bounds: &Bounds, part: f64) {
        if let Cells::None = self.cells {
            self.cells = Cells::Explicit { bounds: Bounds::clone(bounds), counts: vec![0.0; bounds.len() + 1] };
        }
        self.cells.restrict(bounds);
        match &mut self.cells {
            Cells::Explicit { bounds: held, counts } => {
                let same = Bounds::ptr_eq(held, bounds) || held == bounds;
                for (key, count) in &gain.cells {
                    let Ok(key) = usize::try_from(*key) else { continue };
                    let place = if same { key } else { place(bounds.get(key), held) };
                    if let Some(held) = counts.get_mut(place) {
                        *held += float(*count) * part;
                    }
                }
            }
            cells => *cells = Cells::Unknown,
        }
    }

    fn add_exponential(&mut self, gain: &Gain, part: f64) {
        if let Cells::None = self.cells {
            self.cells = Cells::Exponential { scale: gain.scale, counts: BTreeMap::new() };
        }
        match &mut self.cells {
            Cells::Exponential { scale, counts } => {
                if gain.scale < *scale {
                    coarsen(scale, counts, gain.scale);
                }
                for (key, count) in &gain.cells {
                    *counts.entry(buckets::coarser(*key, gain.scale, *scale)).or_default() += float(*count) * part;
                }
            }
            cells => *cells = Cells::Unknown,
        }
    }

    fn buckets(&self) -> Vec<Bucket> {
        match &self.cells {
            Cells::None | Cells::Unknown => Vec::new(),
            Cells::Explicit { bounds, counts } => {
                // Nothing says where the outermost buckets end; most distributions begin at zero.
                let first = bounds.first().map_or(0.0, |bound| bound.min(0.0));
                let lower = std::iter::once(first).chain(bounds.iter().copied());
                let upper = bounds.iter().copied().chain([f64::INFINITY]);
                let ranges = lower.zip(upper).zip(counts);
                ranges.map(|((lower, upper), count)| Bucket { lower, upper, count: *count }).collect()
            }
            Cells::Exponential { scale, counts } => {
                let bucket = |(key, count): (&i64, &f64)| {
                    let (lower, upper) = buckets::range(*key, *scale);
                    Bucket { lower, upper, count: *count }
                };
                counts.iter().map(bucket).collect()
            }
        }
    }
}

impl Cells {
    /// Leaves of explicit boundaries those that `to` has as well. Without any, nothing is known.
    fn restrict(&mut self, to: &Bounds) {
        let Self::Explicit { bounds, counts } = self else { return };
        let is_shared = |bound: &f64| to.binary_search_by(|other| other.total_cmp(bound)).is_ok();
        if Bounds::ptr_eq(bounds, to) || bounds.iter().all(is_shared) {
            return;
        }
        let shared: Bounds = bounds.iter().copied().filter(is_shared).collect();
        if shared.is_empty() {
            return *self = Self::Unknown;
        }
        let mut merged = vec![0.0; shared.len() + 1];
        for (at, count) in counts.iter().enumerate() {
            if let Some(held) = merged.get_mut(place(bounds.get(at), &shared)) {
                *held += count;
            }
        }
        (*bounds, *counts) = (shared, merged);
    }
}

/// Where among these boundaries the bucket lies that ends at `upper`, or is the last one.
fn place(upper: Option<&f64>, bounds: &Bounds) -> usize {
    upper.map_or(bounds.len(), |upper| bounds.partition_point(|bound| bound < upper))
}

struct Bucket {
    lower: f64,
    upper: f64,
    count: f64,
}

impl Bucket {
    /// The value below which `part` of the bucket lies.
    fn at(&self, part: f64, grows: bool) -> f64 {
        let Self { lower, upper, .. } = *self;
        if upper.is_infinite() {
            lower
        } else if grows && lower * upper > 0.0 {
            lower * (upper / lower).powf(part)
        } else {
            lower + (upper - lower) * part
        }
    }
}

fn coarsen(scale: &mut i32, counts: &mut BTreeMap<i64, f64>, to: i32) {
    if *scale > to {
        for (key, count) in std::mem::take(counts) {
            *counts.entry(buckets::coarser(key, *scale, to)).or_default() += count;
        }
        *scale = to;
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts above 2^53 are approximate anyway")]
fn float(count: u64) -> f64 {
    count as f64
}
