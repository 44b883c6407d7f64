//! Keys of exponential buckets.

use gym_telemetry_collector::{Buckets, ExponentialHistogram};

/// The key of the positive bucket with the index 0; the key below zero is that of the negative one.
const ONE: i64 = 1 << 32;

/// Counts by key, rising; no count is zero.
pub(super) type Cells = Vec<(i64, u64)>;

/// What a list of buckets holds. One alone says nothing.
pub(super) fn explicit(buckets: &[u64]) -> Cells {
    if buckets.len() < 2 {
        return Cells::new();
    }
    (0..).zip(buckets).filter(|(_, count)| **count > 0).map(|(key, count)| (key, *count)).collect()
}

/// What an exponential histogram holds, at a scale that is not finer than its own.
pub(super) fn exponential(histogram: &ExponentialHistogram, scale: i32) -> Cells {
    let of = |buckets: &Buckets, sign: i64| {
        let indexes = i64::from(buckets.offset)..;
        let filled = indexes.zip(buckets.counts.clone()).filter(|(_, count)| *count > 0);
        filled.map(|(index, count)| (sign * (ONE + index), count)).collect::<Vec<_>>()
    };
    let zero = Some((0, histogram.zero_count)).filter(|(_, count)| *count > 0);
    let below = of(&histogram.negative, -1).into_iter().rev();
    let cells = below.chain(zero).chain(of(&histogram.positive, 1));
    let mut coarse = Cells::new();
    for (key, count) in cells {
        let key = coarser(key, histogram.scale, scale);
        match coarse.last_mut() {
            Some((last, held)) if *last == key => *held = held.saturating_add(count),
            _ => coarse.push((key, count)),
        }
    }
    coarse
}

/// The bucket that a bucket of scale `from` lies in at the coarser scale `to`.
pub(super) fn coarser(key: i64, from: i32, to: i32) -> i64 {
    let shift = from.saturating_sub(to).clamp(0, 63);
    match key {
        0 => 0,
        _ => key.signum() * (ONE + ((key.abs() - ONE) >> shift)),
    }
}

/// Between which two values the bucket lies.
pub(super) fn range(key: i64, scale: i32) -> (f64, f64) {
    let boundary = |index: i64| {
        #[expect(clippy::cast_precision_loss, reason = "an index has 32 bits")]
        let index = index as f64;
        (index * (-f64::from(scale)).exp2()).exp2()
    };
    let index = key.abs() - ONE;
    match key.signum() {
        0 => (0.0, 0.0),
        1 => (boundary(index), boundary(index + 1)),
        _ => (-boundary(index + 1), -boundary(index)),
    }
}

/// What `now` has more than `before`; a count that fell has nothing more.
pub(super) fn difference(now: Cells, before: &[(i64, u64)]) -> Cells {
    let mut before = before.iter().copied().peekable();
    let more = now.into_iter().filter_map(|(key, count)| {
        while before.next_if(|(held, _)| *held < key).is_some() {}
        let held = before.next_if(|(held, _)| *held == key).map_or(0, |(_, count)| count);
        Some((key, count.checked_sub(held).filter(|more| *more > 0)?))
    });
    more.collect()
}
