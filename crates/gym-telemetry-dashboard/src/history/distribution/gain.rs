//! What a distribution gathered between two points.

use std::sync::Arc;

use gym_telemetry_collector::Data;

use super::buckets::{self, Cells};
use crate::history::ring::{Level, Sample, read_varint, write_varint};

/// What a distribution gathered between two points: how many values, what they add up to, and in which buckets.
///
/// A sum that is not known is not a number.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Gain {
    pub(super) count: u64,
    pub(super) sum: f64,
    /// Of exponential buckets.
    pub(super) scale: i32,
    pub(super) cells: Cells,
}

/// A distribution as its process holds it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gathering<'a> {
    data: &'a Data,
    pub(crate) count: u64,
    sum: f64,
}

impl<'a> Gathering<'a> {
    /// Nothing when the point is a single number.
    pub(crate) fn new(data: &'a Data) -> Option<Self> {
        let (count, sum) = match data {
            Data::Histogram(histogram) => (histogram.count, histogram.sum),
            Data::ExponentialHistogram(histogram) => (histogram.count, histogram.sum),
            Data::Summary(summary) => (summary.count, Some(summary.sum)),
            _ => return None,
        };
        Some(Self { data, count, sum: sum.unwrap_or(f64::NAN) })
    }

    /// The boundaries of its buckets, when they are explicit.
    pub(crate) fn bounds(&self) -> &'a [f64] {
        match self.data {
            Data::Histogram(histogram) => &histogram.bounds,
            _ => &[],
        }
    }

    /// All that it has gathered.
    pub(crate) fn all(&self) -> Gain {
        let (scale, cells) = match self.data {
            Data::Histogram(histogram) => (0, buckets::explicit(&histogram.buckets)),
            Data::ExponentialHistogram(histogram) => {
                (histogram.scale, buckets::exponential(histogram, histogram.scale))
            }
            _ => (0, Cells::new()),
        };
        Gain { count: self.count, sum: self.sum, scale, cells }
    }

    /// What it has gathered since it was `before`. Where the buckets are not comparable, there are none.
    pub(crate) fn since(&self, before: &Self) -> Gain {
        let (scale, cells) = match (self.data, before.data) {
            _ if self.count == before.count => (0, Cells::new()),
            (Data::Histogram(now), Data::Histogram(before)) if now.bounds == before.bounds => {
                (0, buckets::difference(buckets::explicit(&now.buckets), &buckets::explicit(&before.buckets)))
            }
            (Data::ExponentialHistogram(now), Data::ExponentialHistogram(before)) => {
                let scale = now.scale.min(before.scale);
                let [now, before] = [now, before].map(|histogram| buckets::exponential(histogram, scale));
                (scale, buckets::difference(now, &before))
            }
            _ => (0, Cells::new()),
        };
        Gain { count: self.count.saturating_sub(before.count), sum: self.sum - before.sum, scale, cells }
    }
}

impl Gain {
    /// Nothing at all: what an export without news says.
    pub(crate) fn none() -> Self {
        Self { count: 0, sum: 0.0, scale: 0, cells: Cells::new() }
    }

    /// How many values.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    fn coarsen(&mut self, scale: i32) {
        let mut coarse = Cells::new();
        for (key, count) in self.cells.drain(..) {
            let key = buckets::coarser(key, self.scale, scale);
            match coarse.last_mut() {
                Some((last, held)) if *last == key => *held = held.saturating_add(count),
                _ => coarse.push((key, count)),
            }
        }
        (self.scale, self.cells) = (scale, coarse);
    }
}

impl Sample for Gain {
    type Memory = ();

    fn fold(&mut self, mut later: Self) {
        if later.count == 0 {
            return;
        }
        if self.count == 0 {
            return *self = later;
        }
        let scale = self.scale.min(later.scale);
        if self.scale != later.scale {
            self.coarsen(scale);
            later.coarsen(scale);
        }
        self.count = self.count.saturating_add(later.count);
        self.sum += later.sum;
        for (key, count) in later.cells {
            match self.cells.binary_search_by_key(&key, |(held, _)| *held) {
                Ok(at) => {
                    if let Some((_, held)) = self.cells.get_mut(at) {
                        *held = held.saturating_add(count);
                    }
                }
                Err(at) => self.cells.insert(at, (key, count)),
            }
        }
    }

    fn write(&self, skipped: u64, (): &mut (), bytes: &mut Vec<u8>) {
        write_varint(skipped, bytes);
        write_varint(self.count, bytes);
        if self.count == 0 {
            return;
        }
        Level(self.sum).write(0, &mut 0, bytes);
        write_varint(zigzag(self.scale.into()), bytes);
        write_varint(self.cells.len() as u64, bytes);
        let mut before = 0;
        for (key, count) in &self.cells {
            // As a rule buckets are neighbours, and their counts are small: then one byte says all.
            let neighbour = *key == before + 1;
            write_varint((*count).min(u64::MAX >> 1) << 1 | u64::from(!neighbour), bytes);
            if !neighbour {
                write_varint(zigzag(key - before), bytes);
            }
            before = *key;
        }
    }

    fn read((): &mut (), bytes: &mut &[u8]) -> Option<(u64, Self)> {
        let skipped = read_varint(bytes)?;
        let count = read_varint(bytes)?;
        if count == 0 {
            return Some((skipped, Self::none()));
        }
        let (_, Level(sum)) = Level::read(&mut 0, bytes)?;
        let scale = i32::try_from(unzigzag(read_varint(bytes)?)).ok()?;
        let mut key = 0;
        let cells = (0..read_varint(bytes)?).map(|_| {
            let token = read_varint(bytes)?;
            key += if token & 1 == 0 { 1 } else { unzigzag(read_varint(bytes)?) };
            Some((key, token >> 1))
        });
        let cells = cells.collect::<Option<_>>()?;
        Some((skipped, Self { count, sum, scale, cells }))
    }
}

fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63).cast_unsigned()
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

/// The boundaries of a series, shared with those that have the same.
pub(crate) type Bounds = Arc<[f64]>;
