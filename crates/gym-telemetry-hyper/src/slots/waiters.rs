use std::task::Waker;

use slab::Slab;

use super::hosts::HostId;

/// Room for so many is kept even while nobody waits.
const KEPT: usize = 256;

/// Those who wait, in several queues, and those who have been served and do not know it yet.
#[derive(Debug, Default)]
pub(super) struct Waiters {
    entries: Slab<Entry>,
    waiting: usize,
}

/// Where a waiter is found, until it has gone or knows that it is served.
pub(super) type WaiterId = usize;

/// In which queue a waiter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stand {
    /// That of all hosts.
    InLine,
    /// That of its own host.
    AtHost,
    /// In none any more.
    Served,
}

/// The first and the last of a list through [`Waiters`].
#[derive(Debug, Default)]
pub(super) struct Queue {
    ends: Option<(WaiterId, WaiterId)>,
}

#[derive(Debug)]
struct Entry {
    host: HostId,
    stand: Stand,
    waker: Option<Waker>,
    before: Option<WaiterId>,
    after: Option<WaiterId>,
}

impl Queue {
    pub(super) fn first(&self) -> Option<WaiterId> {
        self.ends.map(|(first, _)| first)
    }
}

impl Waiters {
    /// How many wait.
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Adds a waiter at the end of a queue.
    pub(super) fn push(&mut self, queue: &mut Queue, host: HostId, stand: Stand) -> WaiterId {
        let id = self.entries.insert(Entry { host, stand, waker: None, before: None, after: None });
        self.link(queue, id);
        self.waiting += 1;
        id
    }

    /// For whose slot a waiter came, and where it stands.
    pub(super) fn stand(&self, id: WaiterId) -> (HostId, Stand) {
        let Entry { host, stand, .. } = self.entries[id];
        (host, stand)
    }

    /// Serves one of a queue, and tells whom to wake for that.
    pub(super) fn serve(&mut self, queue: &mut Queue, id: WaiterId) -> Option<Waker> {
        self.unlink(queue, id);
        self.waiting -= 1;
        let entry = &mut self.entries[id];
        entry.stand = Stand::Served;
        entry.waker.take()
    }

    /// Sends one from the line to the end of its host's queue.
    pub(super) fn move_to_host(&mut self, line: &mut Queue, queue: &mut Queue, id: WaiterId) {
        self.unlink(line, id);
        self.link(queue, id);
        self.entries[id].stand = Stand::AtHost;
    }

    /// The host for which a waiter has been served, and it knows now. If it still waits, `waker` is woken when that
    /// ends, and the waker comes back in whose place that is.
    pub(super) fn served(&mut self, id: WaiterId, waker: &Waker) -> Result<HostId, Option<Waker>> {
        let entry = &mut self.entries[id];
        if entry.stand == Stand::Served {
            let host = entry.host;
            self.forget(id);
            return Ok(host);
        }
        match &entry.waker {
            Some(known) if known.will_wake(waker) => Err(None),
            _ => Err(entry.waker.replace(waker.clone())),
        }
    }

    /// Takes one off a queue that leaves without a slot. Returns its waker.
    pub(super) fn remove(&mut self, queue: &mut Queue, id: WaiterId) -> Option<Waker> {
        self.unlink(queue, id);
        self.waiting -= 1;
        self.forget(id)
    }

    /// Forgets one that stands in no queue, and gives room back once that of many has become empty. Returns its waker.
    pub(super) fn forget(&mut self, id: WaiterId) -> Option<Waker> {
        let Entry { waker, .. } = self.entries.remove(id);
        if self.entries.is_empty() && self.entries.capacity() > KEPT {
            self.entries = Slab::new();
        }
        waker
    }

    fn link(&mut self, queue: &mut Queue, id: WaiterId) {
        let before = queue.ends.map(|(_, last)| last);
        if let Some(before) = before {
            self.entries[before].after = Some(id);
        }
        self.entries[id].before = before;
        queue.ends = Some((queue.first().unwrap_or(id), id));
    }

    fn unlink(&mut self, queue: &mut Queue, id: WaiterId) {
        let entry = &mut self.entries[id];
        let (before, after) = (entry.before.take(), entry.after.take());
        match before {
            Some(before) => self.entries[before].after = after,
            None => queue.ends = after.and_then(|after| Some((after, queue.ends?.1))),
        }
        match after {
            Some(after) => self.entries[after].before = before,
            None => queue.ends = before.and_then(|before| Some((queue.ends?.0, before))),
        }
    }
}
