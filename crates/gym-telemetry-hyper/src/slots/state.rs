use std::{
    collections::{BTreeMap, HashMap},
    hash::Hash,
    task::Waker,
};

use gym_telemetry_conventions::QueueConstraint;
use slab::Slab;

use super::{Limits, SlotsSnapshot};

/// Who holds slots and who waits for them, by host.
///
/// At any time, nobody waits who could be served: a host's queue moves when its limit and the total both allow it.
#[derive(Debug)]
pub(super) struct State<K> {
    limits: Limits,
    held: usize,
    hosts: Slab<Host<K>>,
    ids: HashMap<K, HostId>,
    /// The hosts that wait for the total alone, by their first waiter. There are none unless the total is exhausted.
    ready: BTreeMap<Ticket, HostId>,
    next: Ticket,
}

/// A host, for as long as one of its slots is held or awaited.
pub(super) type HostId = usize;

/// The order of arrival, over all hosts.
pub(super) type Ticket = u64;

/// A place in a host's queue. Once it is gone from there, its owner has a slot.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) host: HostId,
    ticket: Ticket,
}

#[derive(Debug)]
struct Host<K> {
    key: K,
    held: usize,
    queue: BTreeMap<Ticket, Option<Waker>>,
}

impl<K: Clone + Eq + Hash> State<K> {
    pub(super) fn new(limits: Limits) -> Self {
        let (hosts, ids, ready) = (Slab::new(), HashMap::new(), BTreeMap::new());
        Self { limits, held: 0, hosts, ids, ready, next: 0 }
    }

    /// Takes a slot at once, or a place in the queue, with the limit that binds.
    pub(super) fn enter(&mut self, key: K) -> Result<HostId, (Place, QueueConstraint)> {
        let id = self.id(key);
        let host = &mut self.hosts[id];
        let constraint = if self.held >= self.limits.most() {
            QueueConstraint::Total
        } else if host.held >= self.limits.most_per_host() {
            QueueConstraint::PerHost
        } else {
            host.held += 1;
            self.held += 1;
            return Ok(id);
        };
        let ticket = self.next;
        self.next += 1;
        host.queue.insert(ticket, None);
        if host.queue.len() == 1 {
            self.enlist(id);
        }
        Err((Place { host: id, ticket }, constraint))
    }

    /// Whether the owner of a place still waits; if so, `waker` is woken when that ends.
    pub(super) fn waits(&mut self, place: Place, waker: &Waker) -> bool {
        match self.hosts[place.host].queue.get_mut(&place.ticket) {
            Some(Some(known)) => known.clone_from(waker),
            Some(unknown) => *unknown = Some(waker.clone()),
            None => return false,
        }
        true
    }

    /// Gives a place up, or the slot that it has become. Returns whom to wake.
    pub(super) fn leave(&mut self, place: Place) -> Option<Waker> {
        let Place { host, ticket } = place;
        if self.hosts[host].queue.remove(&ticket).is_none() {
            return self.put(host);
        }
        if self.ready.remove(&ticket).is_some() {
            self.enlist(host);
        }
        self.forget(host);
        None
    }

    /// Gives a slot back. Returns whom to wake.
    pub(super) fn put(&mut self, id: HostId) -> Option<Waker> {
        let host = &mut self.hosts[id];
        let was_full = host.held >= self.limits.most_per_host();
        host.held -= 1;
        self.held -= 1;
        if was_full {
            self.enlist(id);
        }
        let waker = self.serve();
        self.forget(id);
        waker
    }

    pub(super) fn read(&self) -> SlotsSnapshot {
        let waiting = self.hosts.iter().map(|(_, host)| host.queue.len()).sum();
        SlotsSnapshot { held: self.held, waiting, hosts: self.hosts.len() }
    }

    /// Gives the one slot that has become free to whoever came first among those whose hosts have room.
    fn serve(&mut self) -> Option<Waker> {
        let (_, id) = self.ready.pop_first()?;
        let host = &mut self.hosts[id];
        let (_, waker) = host.queue.pop_first()?;
        host.held += 1;
        self.held += 1;
        self.enlist(id);
        waker
    }

    /// Notes that a host waits for the total alone, if that is so.
    fn enlist(&mut self, id: HostId) {
        let host = &self.hosts[id];
        if host.held < self.limits.most_per_host()
            && let Some((first, _)) = host.queue.first_key_value()
        {
            self.ready.insert(*first, id);
        }
    }

    fn id(&mut self, key: K) -> HostId {
        if let Some(id) = self.ids.get(&key) {
            return *id;
        }
        let id = self.hosts.insert(Host { key: key.clone(), held: 0, queue: BTreeMap::new() });
        self.ids.insert(key, id);
        id
    }

    /// Forgets a host of which nobody holds or awaits a slot.
    fn forget(&mut self, id: HostId) {
        if self.hosts[id].held == 0 && self.hosts[id].queue.is_empty() {
            self.ids.remove(&self.hosts.remove(id).key);
        }
    }
}
