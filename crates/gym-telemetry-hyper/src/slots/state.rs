use std::{
    collections::{HashMap, VecDeque},
    hash::Hash,
    task::Waker,
};

use foldhash::quality::RandomState;
use gym_telemetry_conventions::QueueConstraint;
use slab::Slab;

use super::{
    Limits, SlotsSnapshot,
    waiters::{Queue, Ticket, WaiterId, Waiters},
};

/// Who holds slots and who waits for them, by host.
///
/// At any time, nobody waits who could be served: a host's queue moves when its limit and the total both allow it.
#[derive(Debug)]
pub(super) struct State<K> {
    limits: Limits,
    held: usize,
    hosts: Slab<Host<K>>,
    ids: HashMap<K, HostId, RandomState>,
    waiters: Waiters,
    /// The hosts that wait for the total alone, in the order of their first waiters. There are none unless the total is
    /// exhausted. A host mostly comes in at the end and goes from the front.
    ready: VecDeque<(Ticket, HostId)>,
    next: Ticket,
}

/// A host, for as long as one of its slots is held or awaited.
pub(super) type HostId = usize;

/// A place in a host's queue, and after that a slot, until its owner knows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) host: HostId,
    waiter: WaiterId,
}

#[derive(Debug)]
struct Host<K> {
    key: K,
    held: usize,
    queue: Queue,
}

impl<K: Clone + Eq + Hash> State<K> {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            held: 0,
            hosts: Slab::new(),
            ids: HashMap::default(),
            waiters: Waiters::default(),
            ready: VecDeque::new(),
            next: 0,
        }
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
        let is_first = host.queue.is_empty();
        let waiter = self.waiters.push(&mut host.queue, self.next);
        self.next += 1;
        if is_first {
            self.enlist(id);
        }
        Err((Place { host: id, waiter }, constraint))
    }

    /// Whether the owner of a place still waits; if so, `waker` is woken when that ends. If not, it has a slot.
    pub(super) fn waits(&mut self, place: Place, waker: &Waker) -> bool {
        self.waiters.waits(place.waiter, waker)
    }

    /// Gives a place up, or the slot that it has become. Returns whom to wake.
    pub(super) fn leave(&mut self, place: Place) -> Option<Waker> {
        let Place { host: id, waiter } = place;
        let Some(ticket) = self.waiters.remove(&mut self.hosts[id].queue, waiter) else { return self.put(id) };
        if let Ok(index) = self.ready.binary_search(&(ticket, id)) {
            self.ready.remove(index);
            self.enlist(id);
        }
        self.forget(id);
        None
    }

    /// Gives a slot back. Returns whom to wake.
    pub(super) fn put(&mut self, id: HostId) -> Option<Waker> {
        let host = &mut self.hosts[id];
        let was_full = host.held >= self.limits.most_per_host();
        host.held -= 1;
        self.held -= 1;
        let waker = if self.ready.is_empty() {
            // The usual case: nobody waits for the total, so the slot stays with its host.
            self.serve(id)
        } else {
            if was_full {
                self.enlist(id);
            }
            self.ready.pop_front().and_then(|(_, first)| self.serve(first))
        };
        self.forget(id);
        waker
    }

    pub(super) fn read(&self) -> SlotsSnapshot {
        SlotsSnapshot { held: self.held, waiting: self.waiters.waiting(), hosts: self.hosts.len() }
    }

    /// Gives the one slot that has become free to whoever came first for a host that has room.
    fn serve(&mut self, id: HostId) -> Option<Waker> {
        let host = &mut self.hosts[id];
        if host.queue.is_empty() {
            return None;
        }
        let waker = self.waiters.serve_first(&mut host.queue);
        host.held += 1;
        self.held += 1;
        self.enlist(id);
        waker
    }

    /// Notes that a host waits for the total alone, if that is so.
    fn enlist(&mut self, id: HostId) {
        let host = &self.hosts[id];
        if host.held < self.limits.most_per_host()
            && let Some(first) = self.waiters.first(&host.queue)
            && let Err(index) = self.ready.binary_search(&(first, id))
        {
            self.ready.insert(index, (first, id));
        }
    }

    fn id(&mut self, key: K) -> HostId {
        if let Some(id) = self.ids.get(&key) {
            return *id;
        }
        let id = self.hosts.insert(Host { key: key.clone(), held: 0, queue: Queue::default() });
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
