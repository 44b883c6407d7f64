use std::task::Waker;

use gym_telemetry_conventions::QueueConstraint;

use super::{
    Limits, SlotsSnapshot,
    hosts::{HostId, Hosts},
    waiters::{Queue, Stand, WaiterId, Waiters},
};

/// Who holds slots and who waits for them, by host.
///
/// At any time, nobody waits who could be served. Whoever comes while the total is exhausted stands in one line over
/// all hosts. When a slot becomes free, those at its front whose host is full are sent to the queue of their host, once
/// each, and the next is served. So whoever is in the queue of a host came before all in the line who could be served,
/// and that host is full.
///
/// Wakers are handed out to be dropped without the lock, because a task that holds a slot may go with one.
#[derive(Debug)]
pub(super) struct State<K> {
    limits: Limits,
    held: usize,
    hosts: Hosts<K>,
    waiters: Waiters,
    line: Queue,
}

impl<K: Clone + Eq> State<K> {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, held: 0, hosts: Hosts::default(), waiters: Waiters::default(), line: Queue::default() }
    }

    /// Takes a slot at once, or a place among those who wait, with the limit that binds.
    pub(super) fn enter(&mut self, hash: u64, key: &K) -> Result<HostId, (WaiterId, QueueConstraint)> {
        let id = self.hosts.id(hash, key);
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
        // Nobody overtakes those of the same host who are still in the line.
        let waiter = if constraint == QueueConstraint::Total || host.in_line > 0 {
            host.in_line += 1;
            self.waiters.push(&mut self.line, id, Stand::InLine)
        } else {
            self.waiters.push(&mut host.queue, id, Stand::AtHost)
        };
        Err((waiter, constraint))
    }

    /// The host of which a waiter has a slot by now. If it still waits, `waker` is woken when that ends, and the waker
    /// comes back in whose place that is.
    pub(super) fn served(&mut self, waiter: WaiterId, waker: &Waker) -> Result<HostId, Option<Waker>> {
        self.waiters.served(waiter, waker)
    }

    /// Gives a place up, or the slot that it has become. Returns whom to wake, and the waker of whoever leaves.
    pub(super) fn leave(&mut self, waiter: WaiterId) -> (Option<Waker>, Option<Waker>) {
        let (id, stand) = self.waiters.stand(waiter);
        let host = &mut self.hosts[id];
        let queue = match stand {
            Stand::InLine => {
                host.in_line -= 1;
                &mut self.line
            }
            Stand::AtHost => &mut host.queue,
            Stand::Served => {
                let own = self.waiters.forget(waiter);
                return (self.put(id), own);
            }
        };
        let own = self.waiters.remove(queue, waiter);
        self.forget(id);
        (None, own)
    }

    /// Gives a slot back. Returns whom to wake.
    pub(super) fn put(&mut self, id: HostId) -> Option<Waker> {
        let host = &mut self.hosts[id];
        if let Some(first) = host.queue.first() {
            return self.waiters.serve(&mut host.queue, first);
        }
        host.held -= 1;
        self.held -= 1;
        let waker = self.serve_line();
        self.forget(id);
        waker
    }

    pub(super) fn read(&self) -> SlotsSnapshot {
        SlotsSnapshot { held: self.held, waiting: self.waiters.waiting(), hosts: self.hosts.len() }
    }

    /// Gives the one slot that has become free to the first in the line whose host has room.
    fn serve_line(&mut self) -> Option<Waker> {
        while let Some(first) = self.line.first() {
            let (id, _) = self.waiters.stand(first);
            let host = &mut self.hosts[id];
            host.in_line -= 1;
            if host.held < self.limits.most_per_host() {
                host.held += 1;
                self.held += 1;
                return self.waiters.serve(&mut self.line, first);
            }
            self.waiters.move_to_host(&mut self.line, &mut host.queue, first);
        }
        None
    }

    /// Forgets a host of which nobody holds or awaits a slot.
    fn forget(&mut self, id: HostId) {
        let host = &self.hosts[id];
        // The queue of a host of which no slot is held is empty.
        if host.held == 0 && host.in_line == 0 {
            self.hosts.remove(id);
        }
    }
}
