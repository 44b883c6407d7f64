//! The integers that a shard holds.

#[cfg(not(loom))]
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;

#[cfg(loom)]
use loom::sync::atomic::AtomicU64;

use crate::shard::Sharded;

/// A total that only grows.
///
/// An addition *releases* and a reading *acquires*: who sees an event counted sees everything counted that led to it.
/// That is what lets sums over shards keep the order of cause and effect.
#[derive(Debug, Default)]
pub(crate) struct Count(AtomicU64);

impl Count {
    #[inline]
    pub(crate) fn add(&self, amount: u64) {
        self.0.fetch_add(amount, Ordering::Release);
    }

    #[inline]
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }
}

/// How many are inside: two totals, so that one may enter on one shard and leave on another.
#[derive(Debug, Default)]
pub(crate) struct Level {
    entered: Count,
    left: Count,
}

impl Level {
    #[inline]
    pub(crate) fn enter(&self) {
        self.entered.add(1);
    }

    #[inline]
    pub(crate) fn leave(&self) {
        self.left.add(1);
    }

    /// How many entered so far.
    pub(crate) fn entered<T>(shards: &Sharded<T>, level: impl Fn(&T) -> &Self) -> u64 {
        shards.sum(|shard| level(shard).entered.get())
    }

    /// How many left so far.
    pub(crate) fn left<T>(shards: &Sharded<T>, level: impl Fn(&T) -> &Self) -> u64 {
        shards.sum(|shard| level(shard).left.get())
    }

    /// How many entered so far, and how many of them are inside.
    pub(crate) fn read<T>(shards: &Sharded<T>, level: impl Fn(&T) -> &Self) -> (u64, u64) {
        Self::read_all(|| shards.iter().map(&level))
    }

    /// The same of all the levels together.
    ///
    /// Those who left are read first, so that nobody is seen to leave who was not seen to enter.
    pub(crate) fn read_all<'a, I: Iterator<Item = &'a Self>>(levels: impl Fn() -> I) -> (u64, u64) {
        let left = levels().map(|level| level.left.get()).fold(0, u64::wrapping_add);
        let entered = levels().map(|level| level.entered.get()).fold(0, u64::wrapping_add);
        (entered, entered.saturating_sub(left))
    }
}

/// How often a reading is tried again while others count.
const ATTEMPTS: usize = 100;

/// A reading of several totals that held at one moment: two in a row are the same, and totals only grow.
///
/// Where others count without pause there may be no such moment; then it is the last reading.
pub(crate) fn settled<T: PartialEq>(read: impl Fn() -> T) -> T {
    let mut seen = read();
    for _ in 0..ATTEMPTS {
        let again = read();
        if again == seen {
            break;
        }
        seen = again;
    }
    seen
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn nobody_is_seen_to_leave_who_was_not_seen_to_enter() {
        let shards = Sharded::new(Level::default);
        shards.local().enter(); // and stays
        let passes = || {
            for _ in 0..300_000 {
                shards.local().enter();
                shards.local().leave();
            }
        };
        thread::scope(|scope| {
            let threads = [scope.spawn(passes), scope.spawn(passes)];
            while threads.iter().any(|thread| !thread.is_finished()) {
                let (entered, inside) = Level::read(&shards, |level| level);
                assert!(0 < inside && inside <= entered, "{inside} of {entered}");
            }
        });
        assert_eq!(Level::read(&shards, |level| level), (600_001, 1));
    }
}
