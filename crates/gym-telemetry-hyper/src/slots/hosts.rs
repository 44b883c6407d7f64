use std::ops::{Index, IndexMut};

use hashbrown::HashTable;
use slab::Slab;

use super::waiters::Queue;

/// Room for so many hosts is kept even while there are none.
const KEPT: usize = 64;

/// The hosts of which a slot is held or awaited, each with a number for as long as that is so.
#[derive(Debug)]
pub(super) struct Hosts<K> {
    entries: Slab<Host<K>>,
    ids: HashTable<HostId>,
}

pub(super) type HostId = usize;

#[derive(Debug)]
pub(super) struct Host<K> {
    key: K,
    hash: u64,
    pub(super) held: usize,
    /// How many of those who wait for it stand in the common line.
    pub(super) in_line: usize,
    /// The others, who wait for nothing but this host.
    pub(super) queue: Queue,
}

impl<K: Clone + Eq> Hosts<K> {
    /// The number of a host, which is a new one if the host is not known.
    pub(super) fn id(&mut self, hash: u64, key: &K) -> HostId {
        let Self { entries, ids } = self;
        if let Some(id) = ids.find(hash, |id| entries[*id].key == *key) {
            return *id;
        }
        let id = entries.insert(Host { key: key.clone(), hash, held: 0, in_line: 0, queue: Queue::default() });
        ids.insert_unique(hash, id, |id| entries[*id].hash);
        id
    }

    /// Forgets a host, and gives room back once that of many has become empty.
    pub(super) fn remove(&mut self, id: HostId) {
        let Self { entries, ids } = self;
        let Host { hash, .. } = entries.remove(id);
        if let Ok(entry) = ids.find_entry(hash, |other| *other == id) {
            entry.remove();
        }
        if entries.is_empty() && entries.capacity() > KEPT {
            (*entries, *ids) = (Slab::new(), HashTable::new());
        }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }
}

impl<K> Default for Hosts<K> {
    fn default() -> Self {
        Self { entries: Slab::new(), ids: HashTable::new() }
    }
}

impl<K> Index<HostId> for Hosts<K> {
    type Output = Host<K>;

    fn index(&self, id: HostId) -> &Host<K> {
        &self.entries[id]
    }
}

impl<K> IndexMut<HostId> for Hosts<K> {
    fn index_mut(&mut self, id: HostId) -> &mut Host<K> {
        &mut self.entries[id]
    }
}
