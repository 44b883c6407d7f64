use std::task::Waker;

use slab::Slab;

/// Those who wait, in one list for each host, and those who have been served and do not know it yet.
#[derive(Debug, Default)]
pub(super) struct Waiters {
    entries: Slab<Entry>,
    waiting: usize,
}

/// The order of arrival, over all hosts.
pub(super) type Ticket = u64;

/// Where a waiter is found, until it has gone or knows that it is served.
pub(super) type WaiterId = usize;

/// Who waits for one host: the first and the last of a list through [`Waiters`].
#[derive(Debug, Default)]
pub(super) struct Queue {
    ends: Option<(WaiterId, WaiterId)>,
}

#[derive(Debug)]
struct Entry {
    ticket: Ticket,
    waker: Option<Waker>,
    is_served: bool,
    before: Option<WaiterId>,
    after: Option<WaiterId>,
}

impl Queue {
    pub(super) fn is_empty(&self) -> bool {
        self.ends.is_none()
    }
}

impl Waiters {
    /// How many wait.
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Adds a waiter at the end of a queue.
    pub(super) fn push(&mut self, queue: &mut Queue, ticket: Ticket) -> WaiterId {
        let before = queue.ends.map(|(_, last)| last);
        let id = self.entries.insert(Entry { ticket, waker: None, is_served: false, before, after: None });
        if let Some(before) = before {
            self.entries[before].after = Some(id);
        }
        queue.ends = Some((queue.ends.map_or(id, |(first, _)| first), id));
        self.waiting += 1;
        id
    }

    /// The first of a queue.
    pub(super) fn first(&self, queue: &Queue) -> Option<Ticket> {
        queue.ends.map(|(first, _)| self.entries[first].ticket)
    }

    /// Serves the first of a queue, and tells whom to wake for that.
    pub(super) fn serve_first(&mut self, queue: &mut Queue) -> Option<Waker> {
        let (first, _) = queue.ends?;
        self.unlink(queue, first);
        self.entries[first].is_served = true;
        self.entries[first].waker.take()
    }

    /// Whether a waiter still waits. If so, `waker` is woken when that ends; if not, the waiter knows now.
    pub(super) fn waits(&mut self, id: WaiterId, waker: &Waker) -> bool {
        let entry = &mut self.entries[id];
        if entry.is_served {
            self.entries.remove(id);
            return false;
        }
        match &mut entry.waker {
            Some(known) => known.clone_from(waker),
            unknown => *unknown = Some(waker.clone()),
        }
        true
    }

    /// Takes a waiter off. Tells its ticket if it still waited; if not, it has been served.
    pub(super) fn remove(&mut self, queue: &mut Queue, id: WaiterId) -> Option<Ticket> {
        if !self.entries[id].is_served {
            self.unlink(queue, id);
        }
        let Entry { ticket, is_served, .. } = self.entries.remove(id);
        (!is_served).then_some(ticket)
    }

    fn unlink(&mut self, queue: &mut Queue, id: WaiterId) {
        let Entry { before, after, .. } = self.entries[id];
        match before {
            Some(before) => self.entries[before].after = after,
            None => queue.ends = after.and_then(|after| Some((after, queue.ends?.1))),
        }
        match after {
            Some(after) => self.entries[after].before = before,
            None => queue.ends = before.and_then(|before| Some((queue.ends?.0, before))),
        }
        self.waiting -= 1;
    }
}
