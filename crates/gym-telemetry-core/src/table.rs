//! A bounded table of series that only grows, so that finding one takes no lock.

use std::{
    fmt,
    hash::{BuildHasher, Hash},
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use foldhash::fast::RandomState;

/// Series by key, at most `limit` of them. A series stays once it is there; finding it again allocates nothing.
///
/// Threads that race for the last places may be refused while one of them is still filling it: the limit holds, and
/// what is refused for that moment is counted where everything beyond the limit is.
pub(crate) struct Table<V> {
    slots: Box<[OnceLock<V>]>,
    filled: AtomicUsize,
    limit: usize,
    hasher: RandomState,
}

/// The highest limit there is: no backend takes as many series.
const MOST: usize = 1 << 20;

impl<V> Table<V> {
    pub(crate) fn new(limit: usize) -> Self {
        let limit = limit.min(MOST);
        // Twice as many slots keep probes short, and leave one empty to end them.
        let slots = (limit + 1).next_power_of_two().saturating_mul(2);
        Self {
            slots: (0..slots).map(|_| OnceLock::new()).collect(),
            filled: AtomicUsize::new(0),
            limit,
            hasher: RandomState::default(),
        }
    }

    /// The series of `key`, made when it is new; none when the table is full.
    ///
    /// `is` tells whether a series belongs to the key.
    pub(crate) fn get_or_insert<K: Hash + ?Sized>(
        &self,
        key: &K,
        is: impl Fn(&V) -> bool,
        make: impl Fn() -> V,
    ) -> Option<&V> {
        self.get(self.index_or_insert(key, is, make)?)
    }

    /// The series of `key`, if there is one.
    pub(crate) fn find<K: Hash + ?Sized>(&self, key: &K, is: impl Fn(&V) -> bool) -> Option<&V> {
        let from = self.start(key);
        // The slots from its first one on, around the end; an empty one ends them.
        let slots = self.slots[from..].iter().chain(&self.slots[..from]);
        slots.map_while(OnceLock::get).find(|series| is(series))
    }

    /// The same as [`get_or_insert`](Self::get_or_insert), but where the series lies; it stays there.
    pub(crate) fn index_or_insert<K: Hash + ?Sized>(
        &self,
        key: &K,
        is: impl Fn(&V) -> bool,
        make: impl Fn() -> V,
    ) -> Option<usize> {
        let mask = self.slots.len() - 1;
        let mut index = self.start(key);
        loop {
            let series = match self.slots[index].get() {
                Some(series) => series,
                None => self.fill(&self.slots[index], &make)?,
            };
            if is(series) {
                return Some(index);
            }
            index = (index + 1) & mask;
        }
    }

    /// The series at an index.
    pub(crate) fn get(&self, index: usize) -> Option<&V> {
        self.slots.get(index)?.get()
    }

    /// Every series, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &V> {
        self.slots.iter().filter_map(OnceLock::get)
    }

    /// How many indexes there are.
    pub(crate) fn indexes(&self) -> usize {
        self.slots.len()
    }

    /// The first slot that may hold the series of `key`.
    #[expect(clippy::cast_possible_truncation, reason = "the low bits are what is wanted")]
    fn start<K: Hash + ?Sized>(&self, key: &K) -> usize {
        self.hasher.hash_one(key) as usize & (self.slots.len() - 1)
    }

    /// Fills an empty slot, unless the table is full. Another thread may have been quicker, with another key.
    fn fill<'a>(&self, slot: &'a OnceLock<V>, make: impl Fn() -> V) -> Option<&'a V> {
        let reserve = |filled| (filled < self.limit).then_some(filled + 1);
        self.filled.fetch_update(Ordering::Relaxed, Ordering::Relaxed, reserve).ok()?;
        let mut ours = false;
        let series = slot.get_or_init(|| {
            ours = true;
            make()
        });
        if !ours {
            self.filled.fetch_sub(1, Ordering::Relaxed);
        }
        Some(series)
    }
}

impl<V> fmt::Debug for Table<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("filled", &self.filled).field("limit", &self.limit).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, thread};

    use super::*;

    fn find<'a>(table: &'a Table<String>, key: &str) -> Option<&'a String> {
        table.get_or_insert(key, |series| series == key, || key.to_owned())
    }

    /// Eight threads look for the same hundred keys at once.
    fn race(table: &Table<String>, check: impl Fn(String, Option<&String>) + Copy + Send) {
        thread::scope(|scope| {
            for thread in 0..8 {
                scope.spawn(move || {
                    let keys = (0..100).map(|key| ((key * 7 + thread) % 100).to_string());
                    keys.for_each(|key| check(key.clone(), find(table, &key)));
                });
            }
        });
    }

    #[test]
    fn holds_each_key_once_however_many_threads_insert_it() {
        // A place more for each thread, so that no race is for the last one.
        let table = Table::new(108);
        race(&table, |key, found| assert_eq!(found, Some(&key)));
        let keys: Vec<_> = table.iter().cloned().collect();
        assert_eq!((keys.len(), keys.into_iter().collect::<BTreeSet<_>>().len()), (100, 100));
    }

    #[test]
    fn keeps_its_limit_however_many_threads_race_for_the_last_places() {
        let table = Table::new(10);
        race(&table, |key, found| assert!(found.is_none_or(|series| *series == key)));
        let keys: BTreeSet<_> = table.iter().collect();
        assert_eq!((table.iter().count(), keys.len()), (10, 10));
    }

    #[test]
    fn no_limit_is_too_high() {
        let table = Table::new(usize::MAX);
        assert_eq!(find(&table, "a").map(|key| &**key), Some("a"));
    }

    #[test]
    fn refuses_what_is_beyond_its_limit_and_still_finds_what_it_has() {
        let table = Table::new(2);
        assert!(find(&table, "a").is_some() && find(&table, "b").is_some());
        assert_eq!((0..1_000).filter_map(|key| find(&table, &key.to_string())).count(), 0);
        let known = |key: &str| table.find(key, |series| series == key).is_some();
        assert_eq!(["a", "b", "c"].map(known), [true, true, false]);
        assert!(find(&table, "a").is_some());
        assert_eq!(table.iter().count(), 2);
    }
}
