//! Values that are kept once for each of a few threads, so that writers never meet.
//!
//! Two threads that add to one atomic pay for each other's cache line; so do two that clone one `Arc`. Here every
//! thread has a shard of its own, on cache lines of its own, with a reference count of its own. A reader visits them
//! all.

#[cfg(all(test, loom))]
mod model;
mod thread_index;

use std::{
    any::Any,
    fmt,
    ops::Deref,
    sync::{Arc, Mutex, OnceLock, PoisonError, Weak},
    thread,
};

use self::thread_index::thread_index;

/// More shards than this only cost memory: beyond it, threads share.
const MAX_SHARDS: usize = 128;

/// A value of which each thread writes its own copy.
pub(crate) struct Sharded<T> {
    shards: Box<[Shard<T>]>,
    #[expect(dead_code, reason = "held for the family, which reaches it through its shards")]
    derived: Arc<Derived>,
}

/// One thread's copy of a [`Sharded`] value, kept alive by whoever holds it.
///
/// It may be used from any thread, at the price of moving its cache line there.
pub(crate) struct Shard<T>(Arc<Slot<T>>);

/// A value, and apart from it, what leads to the others: threads read that while another writes the value.
struct Slot<T> {
    value: Apart<T>,
    way: Apart<Way<T>>,
}

/// Alone on two cache lines, because processors fetch them in pairs.
#[repr(align(128))]
struct Apart<T>(T);

/// Where a shard lies, and among which.
struct Way<T> {
    index: usize,
    family: OnceLock<Family<T>>,
}

/// The way from one shard to the others, which it does not keep alive.
struct Family<T> {
    siblings: Arc<[Weak<Slot<T>>]>,
    derived: Weak<Derived>,
}

/// What was derived from the shards of an owner, and lives as long as it does.
type Derived = Mutex<Vec<Box<dyn Any + Send + Sync>>>;

impl<T> Sharded<T> {
    /// As many copies as threads can run at once, each made by `value`.
    pub(crate) fn new(value: impl Fn() -> T) -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Self::with_shards(cores.next_power_of_two().saturating_mul(2).min(MAX_SHARDS), value)
    }

    fn with_shards(count: usize, value: impl Fn() -> T) -> Self {
        Self::from_values((0..count).map(|_| value()))
    }

    fn from_values(values: impl Iterator<Item = T>) -> Self {
        let way = |index| Apart(Way { index, family: OnceLock::new() });
        let slot = |(index, value)| Arc::new(Slot { value: Apart(value), way: way(index) });
        let slots: Vec<_> = values.enumerate().map(slot).collect();
        let siblings: Arc<[_]> = slots.iter().map(Arc::downgrade).collect();
        let derived = Arc::<Derived>::default();
        for slot in &slots {
            let family = || Family { siblings: Arc::clone(&siblings), derived: Arc::downgrade(&derived) };
            slot.way.0.family.get_or_init(family);
        }
        Self { shards: slots.into_iter().map(Shard).collect(), derived }
    }

    /// The calling thread's shard.
    #[inline]
    pub(crate) fn local(&self) -> &Shard<T> {
        &self.shards[thread_index() & (self.shards.len() - 1)]
    }

    /// Every shard, for a reader.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.shards.iter().map(Deref::deref)
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
        let Some(family) = self.family() else { return self.clone() };
        let index = family.here();
        if index == self.index() {
            return self.clone();
        }
        family.siblings[index].upgrade().map_or_else(|| self.clone(), Self)
    }

    /// Puts what [`here`](Self::here) gives where a shard may lie already. If it is the same, no reference is counted.
    #[inline]
    pub(crate) fn here_in(&self, place: &mut Option<Self>) {
        if !place.as_ref().is_some_and(|shard| shard.is_here_beside(self)) {
            *place = Some(self.here());
        }
    }

    #[inline]
    fn is_here_beside(&self, other: &Self) -> bool {
        let (Some(ours), Some(theirs)) = (self.family(), other.family()) else { return false };
        Arc::ptr_eq(&ours.siblings, &theirs.siblings) && self.index() == ours.here()
    }

    #[inline]
    fn family(&self) -> Option<&Family<T>> {
        self.0.way.0.family.get()
    }

    #[inline]
    fn index(&self) -> usize {
        self.0.way.0.index
    }

    /// Makes a value of each shard of the family, and gives the calling thread's.
    ///
    /// They live as long as the family's owner. Once it is gone there is but one, made of this shard.
    pub(crate) fn derive<U: Send + Sync + 'static>(&self, value: impl Fn(&Self) -> U) -> Shard<U> {
        let Some((family, owner)) = self.family().and_then(|family| Some((family, family.derived.upgrade()?))) else {
            return Sharded::from_values([value(self)].into_iter()).local().clone();
        };
        let siblings = family.siblings.iter().filter_map(Weak::upgrade);
        let sharded = Sharded::from_values(siblings.map(|sibling| value(&Self(sibling))));
        let shard = sharded.local().clone();
        owner.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(sharded));
        shard
    }
}

impl<T> Family<T> {
    /// Where the calling thread's shard lies.
    #[inline]
    fn here(&self) -> usize {
        thread_index() & (self.siblings.len() - 1)
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
        &self.0.value.0
    }
}

impl<T> fmt::Debug for Sharded<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sharded").field("shards", &self.shards.len()).finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for Shard<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shard").field("index", &self.index()).finish_non_exhaustive()
    }
}

#[cfg(all(test, not(loom)))]
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
        let theirs = || thread::scope(|scope| scope.spawn(|| ours.here().index()).join().unwrap());
        // Other tests start threads too, so that a few in a row may fall on our shard.
        assert!((0..64).any(|_| theirs() != ours.index()));

        drop(sharded);
        ours.here().add(1);
        assert_eq!(ours.get(), 1);
    }

    #[test]
    fn derived_shards_live_and_part_with_the_owner() {
        let sharded = Sharded::with_shards(2, Count::default);
        let derived = sharded.local().derive(Shard::clone);
        let watch = Arc::downgrade(&derived.here().0);
        for sibling in &sharded.shards {
            sibling.add(1);
        }
        thread::scope(|scope| {
            (0..8).for_each(|_| drop(scope.spawn(|| assert_eq!(derived.here().get(), 1))));
        });

        drop((sharded, derived));
        assert!(watch.upgrade().is_none());
    }

    #[test]
    fn without_an_owner_one_value_is_derived() {
        let ours = Sharded::with_shards(2, Count::default).local().clone();
        let derived = ours.derive(|_| Count::default());
        thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(|| derived.here().add(1)))));
        assert_eq!(derived.get(), 4);
    }
}
