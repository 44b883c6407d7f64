use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use super::{sampler::Sampler, schedule::Schedule, target::Target};

/// What the thread of a watch works with, and how it is told what to do.
#[derive(Debug)]
pub(super) struct Worker {
    interval: Duration,
    sampler: Mutex<Sampler>,
    orders: Mutex<Orders>,
    told: Condvar,
}

#[derive(Debug, Default)]
struct Orders {
    end: bool,
    /// For the next sample.
    changes: Vec<Change>,
}

/// A change of what is watched.
#[derive(Debug)]
pub(super) enum Change {
    Add(Target),
    Remove { name: String },
}

impl Worker {
    pub(super) fn new(sampler: Sampler, interval: Duration) -> Self {
        Self { interval, sampler: Mutex::new(sampler), orders: Mutex::default(), told: Condvar::new() }
    }

    /// Makes ready for [`run`](Self::run).
    pub(super) fn begin(&self) {
        lock(&self.orders).end = false;
    }

    /// Lets [`run`](Self::run) come to its end.
    pub(super) fn end(&self) {
        lock(&self.orders).end = true;
        self.told.notify_all();
    }

    pub(super) fn change(&self, change: Change) {
        lock(&self.orders).changes.push(change);
    }

    /// Samples at once, then at every interval, and once more when told to end.
    pub(super) fn run(&self) {
        let mut sampler = lock(&self.sampler);
        let mut schedule = Schedule::new(Instant::now(), self.interval);
        while !self.sample(&mut sampler) {
            sampler.skip(schedule.ended(Instant::now()));
            self.wait(schedule.next());
            schedule.begin();
        }
    }

    /// Does as told and takes a sample. Returns whether it was the last.
    fn sample(&self, sampler: &mut Sampler) -> bool {
        let (end, changes) = {
            let mut orders = lock(&self.orders);
            (orders.end, std::mem::take(&mut orders.changes))
        };
        for change in changes {
            match change {
                Change::Add(target) => sampler.add(&target),
                Change::Remove { name } => sampler.remove(&name),
            }
        }
        sampler.sample();
        end
    }

    /// Waits for a moment, or for the order to end.
    fn wait(&self, until: Instant) {
        let mut orders = lock(&self.orders);
        while !orders.end {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            orders = self.told.wait_timeout(orders, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
