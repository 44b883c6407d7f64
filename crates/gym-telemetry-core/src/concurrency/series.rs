use std::sync::{
    Arc, Mutex, PoisonError, Weak,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use gym_telemetry_conventions::attributes;
use opentelemetry::KeyValue;

use super::{LimitName, LimitState};
use crate::count::Count;

/// The limits that go by one name.
#[derive(Debug)]
pub(super) struct Series {
    component: Box<str>,
    limit: Box<str>,
    server: Option<Box<str>>,
    limits: Mutex<Vec<Weak<LatestState>>>,
    /// Their sum at the start of this collection: read gauge by gauge, it would be of several moments.
    collected: Mutex<Option<LimitState>>,
    has_timeout: AtomicBool,
    pub(super) timeouts: Count,
    pub(super) cancelled: Count,
}

/// The latest state of one limit.
#[derive(Debug, Default)]
pub(super) struct LatestState {
    slots: AtomicU64,
    active: AtomicU64,
    waiting: AtomicU64,
}

impl Series {
    pub(super) fn new(name: LimitName<'_>) -> Self {
        Self {
            component: name.component.into(),
            limit: name.limit.into(),
            server: name.server.map(Into::into),
            limits: Mutex::default(),
            collected: Mutex::default(),
            has_timeout: AtomicBool::new(false),
            timeouts: Count::default(),
            cancelled: Count::default(),
        }
    }

    pub(super) fn is(&self, name: LimitName<'_>) -> bool {
        *self.component == *name.component && *self.limit == *name.limit && self.server.as_deref() == name.server
    }

    /// One more limit of this name, until it is dropped.
    pub(super) fn add(&self) -> Arc<LatestState> {
        let latest = Arc::new(LatestState::default());
        let mut limits = self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        limits.retain(|limit| limit.strong_count() > 0);
        limits.push(Arc::downgrade(&latest));
        latest
    }

    pub(super) fn expect_timeouts(&self) {
        self.has_timeout.store(true, Ordering::Relaxed);
    }

    /// A collection begins: takes the sum over the limits of this name.
    pub(super) fn collect(&self) {
        let limits = self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        let sum = limits.iter().filter_map(Weak::upgrade).map(|limit| limit.read()).reduce(|sum, next| LimitState {
            slots: sum.slots + next.slots,
            active: sum.active + next.active,
            waiting: sum.waiting + next.waiting,
        });
        *self.collected.lock().unwrap_or_else(PoisonError::into_inner) = sum;
    }

    /// The sum over the limits of this name; none without any.
    pub(super) fn state(&self) -> Option<LimitState> {
        *self.collected.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits that ran out of time; none where no limit has a timeout.
    pub(super) fn timeouts(&self) -> Option<u64> {
        self.has_timeout.load(Ordering::Relaxed).then(|| self.timeouts.get())
    }

    pub(super) fn attributes(&self) -> Vec<KeyValue> {
        let value = |key, word: &str| KeyValue::new(key, word.to_owned());
        let mut all = vec![
            value(attributes::CONCURRENCY_COMPONENT.key, &self.component),
            value(attributes::CONCURRENCY_LIMIT_NAME.key, &self.limit),
        ];
        all.extend(self.server.as_deref().map(|server| value(attributes::SERVER_NAME.key, server)));
        all
    }
}

impl LatestState {
    #[inline]
    pub(super) fn set(&self, LimitState { slots, active, waiting }: LimitState) {
        self.slots.store(slots, Ordering::Relaxed);
        self.active.store(active, Ordering::Relaxed);
        self.waiting.store(waiting, Ordering::Relaxed);
    }

    fn read(&self) -> LimitState {
        LimitState {
            slots: self.slots.load(Ordering::Relaxed),
            active: self.active.load(Ordering::Relaxed),
            waiting: self.waiting.load(Ordering::Relaxed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_that_ended_leave_nothing_behind() {
        let series = Series::new(LimitName::new("verifier", "slots"));
        let kept = series.add();
        (0..1_000).for_each(|_| drop(series.add()));
        assert!(series.limits.lock().unwrap().len() <= 2);
        kept.set(LimitState::new(3, 0, 0));
        series.collect();
        assert_eq!(series.state(), Some(LimitState::new(3, 0, 0)));
    }
}
