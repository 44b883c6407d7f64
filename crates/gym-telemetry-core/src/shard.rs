//! Values that are kept once for each of a few threads, so that writers never meet.
//!
//! Two threads that add to one atomic pay for each other's cache line; so do two that clone one `Arc`. Here every
//! thread has a shard of its own, on cache lines of its own, with a reference count of its own. A reader visits them
//! all.

use std::{
    cell::Cell,
    fmt,
    ops::Deref,
    sync::{
        Arc, OnceLock, Weak,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// More shards than this only cost memory: beyond it, threads share.
const MAX_SHARDS: usize = 128;

/// A value of which each thread writes its own copy.
pub(crate) struct Sharded<T> {
    shards: Box<[Shard<T>]>,
}

/// One thread's copy of a [`Sharded`] value, kept alive by whoever holds it.
///
/// It may be used from any thread, at the price of moving its cache line there.
pub(crate) struct Shard<T>(Arc<Slot<T>>);

/// Two cache lines, because processors fetch them in pairs.
#[repr(align(128))]
struct Slot<T> {
    value: T,
    index: usize,
    siblings: OnceLock<Arc<[Weak<Slot<T>>]>>,
}

impl<T> Sharded<T> {
    /// As many copies as threads can run at once, each made by `value`.
    pub(crate) fn new(value: impl Fn() -> T) -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Self::with_shards(cores.next_power_of_two().saturating_mul(2).min(MAX_SHARDS), value)
    }

    fn with_shards(count: usize, value: impl Fn() -> T) -> Self {
        let slot = |index| Arc::new(Slot { value: value(), index, siblings: OnceLock::new() });
        let slots: Vec<_> = (0..count).map(slot).collect();
        let siblings: Arc<[_]> = slots.iter().map(Arc::downgrade).collect();
        for slot in &slots {
            slot.siblings.get_or_init(|| Arc::clone(&siblings));
        }
        Self { shards: slots.into_iter().map(Shard).collect() }
    }

    /// The calling thread's shard.
    #[inline]
    pub(crate) fn local(&self) -> &Shard<T> {
        &self.shards[thread_index() & (self.shards.len() - 1)]
    }

    /// Every shard, for a reader.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.shards.iter().map(|shard| &shard.0.value)
    }

    /// The sum of one number over all shards.
    pub(crate) fn sum(&self, number: impl Fn(&T) -> u64) -> u64 {
        self.iter().map(number).fold(0, u64::wrapping_add)
    }
}

impl<T> Shard<T> {
    /// The shard of the calling thread beside this one; this one again when its owner is gone.
    #[inline]
    pub(crate) fn here(&self) -> Self {
        let Some(siblings) = self.0.siblings.get() else { return self.clone() };
        let index = thread_index() & (siblings.len() - 1);
        if index == self.0.index {
            return self.clone();
        }
        siblings[index].upgrade().map_or_else(|| self.clone(), Self)
    }
}

impl<T> Clone for Shard<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Deref for Shard<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0.value
    }
}

impl<T> fmt::Debug for Sharded<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sharded").field("shards", &self.shards.len()).finish()
    }
}

impl<T> fmt::Debug for Shard<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shard").field("index", &self.0.index).finish()
    }
}

/// A small number that tells the running threads apart, handed out in the order of their first call.
#[inline]
fn thread_index() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local!(static INDEX: Cell<usize> = const { Cell::new(usize::MAX) });

    INDEX.with(|index| {
        if index.get() == usize::MAX {
            index.set(NEXT.fetch_add(1, Ordering::Relaxed));
        }
        index.get()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::Count;

    #[test]
    fn nothing_is_lost_when_threads_come_and_go() {
        let sharded = Sharded::with_shards(4, Count::default);
        thread::scope(|scope| {
            for _ in 0..32 {
                scope.spawn(|| (0..1_000).for_each(|_| sharded.local().add(1)));
            }
        });
        assert_eq!(sharded.sum(Count::get), 32_000);
    }

    #[test]
    fn a_shard_leads_to_the_calling_threads_own_and_outlives_its_owner() {
        let sharded = Sharded::with_shards(2, Count::default);
        let ours = sharded.local().clone();
        let theirs = thread::spawn({
            let ours = ours.clone();
            // Two threads in a row get different indexes, so one of them lies in the other shard.
            move || [ours.here().0.index, thread::spawn(move || ours.here().0.index).join().unwrap()]
        });
        assert!(theirs.join().unwrap().iter().any(|index| *index != ours.0.index));

        drop(sharded);
        ours.here().add(1);
        assert_eq!(ours.get(), 1);
    }
}
