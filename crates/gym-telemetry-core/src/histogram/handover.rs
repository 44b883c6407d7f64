use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

use opentelemetry::{KeyValue, metrics::Histogram};

use super::{Buckets, Measure};

/// Replays what shards have gathered since the last collection into one series of an SDK histogram.
pub(crate) struct Handover<M: Measure> {
    histogram: Histogram<M::Exported>,
    attributes: Vec<KeyValue>,
    also: Option<Box<dyn Fn(u64) + Send + Sync>>,
    /// Taken by collections alone, and never held across a call into the SDK.
    done: Mutex<Done>,
}

/// What earlier collections handed over, and what they could not yet.
struct Done {
    buckets: Vec<Tally>,
    min: Option<u64>,
    max: Option<u64>,
}

#[derive(Clone, Copy, Default)]
struct Tally {
    count: u64,
    sum: u64,
}

/// `count` samples of one value.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) value: u64,
    pub(super) count: u64,
}

impl<M: Measure> Handover<M> {
    pub(crate) fn new(histogram: Histogram<M::Exported>, mut attributes: Vec<KeyValue>) -> Self {
        // The SDK would keep another order beside this one, and visit both at each collection.
        attributes.sort_by(|one, other| one.key.cmp(&other.key));
        let done = Mutex::new(Done { buckets: Vec::new(), min: None, max: None });
        Self { histogram, attributes, also: None, done }
    }

    /// Gives each sample to `also` too, for a series that it has under another name.
    pub(crate) fn and(mut self, also: impl Fn(u64) + Send + Sync + 'static) -> Self {
        self.also = Some(Box::new(also));
        self
    }

    /// Hands over what is new in `parts`, the series' buckets in every shard.
    pub(crate) fn run<'a>(&self, parts: impl Iterator<Item = &'a Buckets<M>>) {
        for Run { value, count } in self.pending(parts) {
            for _ in 0..count {
                M::record(&self.histogram, value, &self.attributes);
                self.also.iter().for_each(|also| also(value));
            }
        }
    }

    /// The samples that stand for everything new.
    pub(super) fn pending<'a>(&self, parts: impl Iterator<Item = &'a Buckets<M>>) -> Vec<Run> {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let mut now: Vec<Tally> = Vec::new();
        let mut scale = None;
        for part in parts {
            now.resize(part.buckets().len(), Tally::default());
            for (total, bucket) in now.iter_mut().zip(part.buckets()) {
                total.count = total.count.wrapping_add(bucket.count.get());
                total.sum = total.sum.wrapping_add(bucket.sum.get());
            }
            if let Some((min, max)) = part.take_extremes() {
                done.min = Some(done.min.map_or(min, |least| least.min(min)));
                done.max = Some(done.max.map_or(max, |greatest| greatest.max(max)));
            }
            scale = Some(part);
        }
        done.buckets.resize(now.len(), Tally::default());

        let mut runs = Vec::new();
        let Some(scale) = scale else { return runs };
        for (index, total) in now.into_iter().enumerate() {
            let count = total.count.wrapping_sub(done.buckets[index].count);
            if count > 0 {
                let sum = total.sum.wrapping_sub(done.buckets[index].sum);
                let start = runs.len();
                done.spread(index, count, sum, scale, &mut runs);
                let replayed = runs[start..].iter().map(|run| run.value.wrapping_mul(run.count));
                done.buckets[index].sum = replayed.fold(done.buckets[index].sum, u64::wrapping_add);
                done.buckets[index].count = total.count;
            }
        }
        runs
    }
}

impl Done {
    /// Writes `count` values of one bucket whose sum is `sum`, the extremes among them as they were.
    fn spread<M: Measure>(
        &mut self,
        index: usize,
        mut count: u64,
        mut sum: u64,
        scale: &Buckets<M>,
        runs: &mut Vec<Run>,
    ) {
        let (least, greatest) = scale.range(index);
        let mut take = |value: u64, times: u64| {
            if times > 0 {
                runs.push(Run { value, count: times });
            }
        };
        if let Some(min) = self.min.take_if(|min| (least..=greatest).contains(min)) {
            take(min, 1);
            (count, sum) = (count - 1, sum.saturating_sub(min));
            // A single value is both extremes.
            self.max.take_if(|max| *max == min);
        }
        if count > 0
            && let Some(max) = self.max.take_if(|max| (least..=greatest).contains(max))
        {
            take(max, 1);
            (count, sum) = (count - 1, sum.saturating_sub(max));
        }
        if let Some(mean) = sum.checked_div(count) {
            // A sample that is being recorded may have added its value and not yet its count. The mean is then off,
            // but never outside of the bucket, and the next collection makes up for it.
            let larger = sum % count;
            take(mean.saturating_add(1).clamp(least, greatest), larger);
            take(mean.clamp(least, greatest), count - larger);
        }
    }
}

impl<M: Measure> fmt::Debug for Handover<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handover").field("attributes", &self.attributes).finish_non_exhaustive()
    }
}
