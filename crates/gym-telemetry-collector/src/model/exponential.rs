//! Distributions by exponentially growing boundaries.

use super::Histogram;
use super::distribution::both;

/// Merging keeps at most this many buckets on each side of zero, unless one part already had more.
const MERGED_BUCKETS: usize = 320;

/// Consecutive buckets on one side of zero.
///
/// Bucket `i` of scale `s` holds what lies above `2^(i / 2^s)` and not above `2^((i + 1) / 2^s)`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Buckets {
    /// The index of the first bucket.
    pub offset: i32,
    /// How many values lie in it and in those after it.
    pub counts: Vec<u64>,
}

impl Buckets {
    /// First and last index after `shift` halvings of the scale; `None` when there are no buckets.
    fn span(&self, shift: u32) -> Option<(i64, i64)> {
        let last = i64::try_from(self.counts.len()).ok()?.checked_sub(1).filter(|last| *last >= 0)?;
        let first = i64::from(self.offset);
        Some((first >> shift, (first + last) >> shift))
    }

    /// These buckets and those of `other`, each at its own number of halvings of the scale.
    fn merged(&self, shift: u32, other: &Self, other_shift: u32) -> Self {
        let spans = [self.span(shift), other.span(other_shift)];
        let Some((first, last)) = union(spans) else { return Self::default() };
        let mut counts = vec![0_u64; usize::try_from(last - first + 1).unwrap_or(0)];
        for (part, shift) in [(self, shift), (other, other_shift)] {
            for (index, count) in (i64::from(part.offset)..).zip(&part.counts) {
                if let Some(held) = usize::try_from((index >> shift) - first).ok().and_then(|at| counts.get_mut(at)) {
                    *held = held.saturating_add(*count);
                }
            }
        }
        Self { offset: i32::try_from(first).unwrap_or(0), counts }
    }
}

/// The span that covers both.
fn union(spans: [Option<(i64, i64)>; 2]) -> Option<(i64, i64)> {
    spans.into_iter().flatten().reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
}

/// Counts by exponentially growing boundaries.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ExponentialHistogram {
    /// How many values there were.
    pub count: u64,
    /// What they add up to, when the process says so.
    pub sum: Option<f64>,
    /// The smallest, when the process says so.
    pub min: Option<f64>,
    /// The largest, when the process says so.
    pub max: Option<f64>,
    /// How fine the buckets are: each step up halves them.
    pub scale: i32,
    /// How many values lie within `zero_threshold` of zero.
    pub zero_count: u64,
    /// How far from zero a value may be and still count as zero.
    pub zero_threshold: f64,
    /// The buckets of positive values.
    pub positive: Buckets,
    /// The buckets of negative values, by their distance from zero.
    pub negative: Buckets,
}

impl ExponentialHistogram {
    /// Adds the values of `other`.
    ///
    /// The result is as fine as the coarser of the two, and coarser still when their values lie so far apart that it
    /// would need too many buckets. Of two zero thresholds it keeps the wider.
    pub(crate) fn merge(&mut self, other: &Self) {
        let scale = self.common_scale(other);
        let shifts = [self.scale, other.scale].map(|from| halvings(from, scale));
        self.positive = self.positive.merged(shifts[0], &other.positive, shifts[1]);
        self.negative = self.negative.merged(shifts[0], &other.negative, shifts[1]);
        self.scale = scale;
        self.count = self.count.saturating_add(other.count);
        self.zero_count = self.zero_count.saturating_add(other.zero_count);
        self.zero_threshold = self.zero_threshold.max(other.zero_threshold);
        self.sum = both(self.sum, other.sum, |a, b| a + b);
        self.min = both(self.min, other.min, f64::min);
        self.max = both(self.max, other.max, f64::max);
    }

    /// The finest scale at which neither side needs more buckets than are allowed.
    fn common_scale(&self, other: &Self) -> i32 {
        let sides = [(&self.positive, &other.positive), (&self.negative, &other.negative)];
        let fits = |scale: i32| {
            sides.iter().all(|(a, b)| {
                let allowed = MERGED_BUCKETS.max(a.counts.len()).max(b.counts.len());
                union([a.span(halvings(self.scale, scale)), b.span(halvings(other.scale, scale))])
                    .is_none_or(|(first, last)| usize::try_from(last - first).is_ok_and(|steps| steps < allowed))
            })
        };
        let mut scale = self.scale.min(other.scale);
        while !fits(scale) {
            scale = scale.saturating_sub(1);
        }
        scale
    }

    /// Count, sum and extremes, without buckets: what can be added to a histogram of explicit boundaries.
    pub(crate) fn without_buckets(&self) -> Histogram {
        Histogram { count: self.count, sum: self.sum, min: self.min, max: self.max, ..Histogram::default() }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        size_of::<u64>() * (self.positive.counts.capacity() + self.negative.counts.capacity())
    }
}

/// How often the scale has to be halved to get `from` down to `to`; indexes are settled long before the limit.
fn halvings(from: i32, to: i32) -> u32 {
    from.saturating_sub(to).unsigned_abs().min(i64::BITS - 1)
}
