use std::{
    fmt,
    marker::PhantomData,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use gym_telemetry_conventions::Instrument;

use super::{Measure, Millis};
use crate::{count::Count, nanos::nanos};

/// One shard's part of a distribution.
pub(crate) struct Buckets<M> {
    /// The largest value of each bucket but the last, which has no bound.
    bounds: Box<[u64]>,
    buckets: Box<[Bucket]>,
    /// The smallest and the largest value since the last collection.
    min: AtomicU64,
    max: AtomicU64,
    measure: PhantomData<fn(M)>,
}

/// How many values fell into one bucket, and their sum.
#[derive(Debug, Default)]
pub(super) struct Bucket {
    pub(super) count: Count,
    pub(super) sum: Count,
}

impl<M: Measure> Buckets<M> {
    pub(crate) fn new(instrument: &Instrument) -> Self {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounds are positive and small")]
        let bounds: Box<[u64]> = instrument.boundaries.iter().map(|bound| (bound * M::PER_UNIT) as u64).collect();
        let buckets = (0..=bounds.len()).map(|_| Bucket::default()).collect();
        Self { bounds, buckets, min: AtomicU64::new(u64::MAX), max: AtomicU64::new(0), measure: PhantomData }
    }

    #[inline]
    pub(crate) fn record(&self, value: u64) {
        let bucket = &self.buckets[self.index(value)];
        // Most values are no extremes, and a reading is cheaper than an update.
        if value < self.min.load(Ordering::Relaxed) {
            self.min.fetch_min(value, Ordering::Relaxed);
        }
        if value > self.max.load(Ordering::Relaxed) {
            self.max.fetch_max(value, Ordering::Relaxed);
        }
        // The count comes last: whoever reads it knows that the sum holds at least as many values.
        bucket.sum.add(value);
        bucket.count.add(1);
    }

    /// How many values there have been.
    pub(crate) fn count(&self) -> u64 {
        self.buckets.iter().map(|bucket| bucket.count.get()).fold(0, u64::wrapping_add)
    }

    /// The bucket of a value: the first whose bound is not below it.
    #[inline]
    pub(super) fn index(&self, value: u64) -> usize {
        self.bounds.partition_point(|bound| *bound < value)
    }

    pub(super) fn buckets(&self) -> &[Bucket] {
        &self.buckets
    }

    /// The least and the greatest value that may lie in a bucket.
    pub(super) fn range(&self, index: usize) -> (u64, u64) {
        let least = if index == 0 { 0 } else { self.bounds[index - 1].saturating_add(1) };
        (least, self.bounds.get(index).copied().unwrap_or(u64::MAX))
    }

    /// The smallest and the largest value since the last call, if there was any.
    pub(super) fn take_extremes(&self) -> Option<(u64, u64)> {
        let (min, max) = (self.min.swap(u64::MAX, Ordering::Relaxed), self.max.swap(0, Ordering::Relaxed));
        (min <= max).then_some((min, max))
    }
}

impl Buckets<Millis> {
    #[inline]
    pub(crate) fn record_duration(&self, duration: Duration) {
        self.record(nanos(duration));
    }
}

impl<M> fmt::Debug for Buckets<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buckets").field("buckets", &self.buckets).finish_non_exhaustive()
    }
}
