//! Distributions by explicit boundaries and by quantiles.

/// Counts by explicit boundaries.
///
/// Without `buckets` it says how many values there were and what they add up to, but not how they lie.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Histogram {
    /// How many values there were.
    pub count: u64,
    /// What they add up to, when the process says so.
    pub sum: Option<f64>,
    /// The smallest, when the process says so.
    pub min: Option<f64>,
    /// The largest, when the process says so.
    pub max: Option<f64>,
    /// The upper boundaries, each belonging to the bucket below it; the last bucket has none.
    pub bounds: Vec<f64>,
    /// How many values lie in each bucket: one more than there are boundaries, or none at all.
    pub buckets: Vec<u64>,
}

impl Histogram {
    /// Adds the values of `other`.
    ///
    /// Buckets can be added when both have the same boundaries; otherwise the result has none, and its count and sum
    /// are still exact. A sum, a minimum or a maximum is known when both are.
    pub fn merge(&mut self, other: &Self) {
        self.count = self.count.saturating_add(other.count);
        self.sum = both(self.sum, other.sum, |a, b| a + b);
        self.min = both(self.min, other.min, f64::min);
        self.max = both(self.max, other.max, f64::max);
        if self.bounds == other.bounds && self.buckets.len() == other.buckets.len() {
            for (held, more) in self.buckets.iter_mut().zip(&other.buckets) {
                *held = held.saturating_add(*more);
            }
        } else {
            self.bounds = Vec::new();
            self.buckets = Vec::new();
        }
    }

    /// The mean of the values, when there are any and their sum is known.
    pub fn mean(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "a mean is approximate anyway")]
        self.sum.filter(|_| self.count > 0).map(|sum| sum / self.count as f64)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        size_of::<u64>() * (self.bounds.capacity() + self.buckets.capacity())
    }
}

/// `combine` of two numbers that are both known.
pub(super) fn both(a: Option<f64>, b: Option<f64>, combine: fn(f64, f64) -> f64) -> Option<f64> {
    a.zip(b).map(|(a, b)| combine(a, b))
}

/// Quantiles that the process computed itself. They cannot be added to those of another.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Summary {
    /// How many values there were.
    pub count: u64,
    /// What they add up to.
    pub sum: f64,
    /// Pairs of a quantile between 0 and 1 and its value.
    pub quantiles: Vec<(f64, f64)>,
}

impl Summary {
    pub(super) fn heap_bytes(&self) -> usize {
        size_of::<(f64, f64)>() * self.quantiles.capacity()
    }
}
