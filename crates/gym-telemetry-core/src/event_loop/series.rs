use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use gym_telemetry_conventions::{attributes, metrics};
use opentelemetry::{KeyValue, metrics::Histogram};

use super::{EventLoopSnapshot, live::Live};
use crate::{
    count::Count,
    histogram::{Buckets, Handover, Millis},
    latest::Latest,
    nanos::nanos,
};

/// The loops of one name.
#[derive(Debug)]
pub(super) struct Series {
    pub(super) name: Box<str>,
    lag: Buckets<Millis>,
    samples: Count,
    waited: Count,
    worst: AtomicU64,
    handover: Handover<Millis>,
    /// Since the last export, over all workers.
    busy: AtomicU64,
    available: AtomicU64,
    /// The loops that are watched now. The lock is held for moments, by those who watch or export.
    live: Mutex<Vec<Arc<Live>>>,
}

impl Series {
    pub(super) fn new(name: &str, lag: &Histogram<f64>) -> Self {
        Self {
            name: name.into(),
            lag: Buckets::new(&metrics::EVENT_LOOP_LAG_MS),
            samples: Count::default(),
            waited: Count::default(),
            worst: AtomicU64::new(0),
            handover: Handover::new(lag.clone(), vec![KeyValue::new(attributes::EVENT_LOOP.key, name.to_owned())]),
            busy: AtomicU64::new(0),
            available: AtomicU64::new(0),
            live: Mutex::default(),
        }
    }

    pub(super) fn enter(&self, live: &Arc<Live>) {
        self.with_live(|all| all.push(Arc::clone(live)));
    }

    pub(super) fn leave(&self, live: &Arc<Live>) {
        self.with_live(|all| all.retain(|other| !Arc::ptr_eq(other, live)));
    }

    pub(super) fn record(&self, lag: Duration) {
        self.lag.record_duration(lag);
        self.worst.fetch_max(nanos(lag), Ordering::Relaxed);
        self.waited.add(nanos(lag));
        self.samples.add(1);
    }

    pub(super) fn hand_over(&self) {
        self.handover.run([&self.lag].into_iter());
    }

    pub(super) fn add_busy(&self, busy: Duration, available: Duration) {
        self.busy.fetch_add(nanos(busy), Ordering::Relaxed);
        self.available.fetch_add(nanos(available), Ordering::Relaxed);
    }

    /// The part of their time that the workers were busy since the last call, if that was told.
    ///
    /// Time that was spent in a long poll is told when it ends; what is then more than all there was is all there was.
    #[expect(clippy::cast_precision_loss, reason = "a ratio needs no more")]
    pub(super) fn take_busy_ratio(&self) -> Option<f64> {
        let available = self.available.swap(0, Ordering::Relaxed);
        let busy = self.busy.swap(0, Ordering::Relaxed);
        (available > 0).then(|| (busy as f64 / available as f64).min(1.0))
    }

    pub(super) fn current_lag(&self) -> Option<Duration> {
        self.with_live(|all| all.iter().map(|live| live.lag()).max())
    }

    pub(super) fn tasks(&self) -> Option<u64> {
        self.sum(|live| &live.tasks)
    }

    pub(super) fn queue_depth(&self) -> Option<u64> {
        self.sum(|live| &live.queue_depth)
    }

    pub(super) fn attributes(&self) -> [KeyValue; 1] {
        [KeyValue::new(attributes::EVENT_LOOP.key, self.name.to_string())]
    }

    /// None for a name that nothing was ever watched under.
    pub(super) fn snapshot(&self) -> Option<EventLoopSnapshot> {
        let (samples, current_lag) = (self.samples.get(), self.current_lag());
        (samples > 0 || current_lag.is_some()).then(|| EventLoopSnapshot {
            name: self.name.to_string(),
            samples,
            waited: Duration::from_nanos(self.waited.get()),
            worst_lag: Duration::from_nanos(self.worst.load(Ordering::Relaxed)).max(current_lag.unwrap_or_default()),
            current_lag,
            tasks: self.tasks(),
            queue_depth: self.queue_depth(),
        })
    }

    /// The sum over the loops of which the number was told.
    fn sum(&self, number: impl Fn(&Live) -> &Latest) -> Option<u64> {
        self.with_live(|all| all.iter().filter_map(|live| number(live).get()).reduce(u64::saturating_add))
    }

    fn with_live<T>(&self, work: impl FnOnce(&mut Vec<Arc<Live>>) -> T) -> T {
        work(&mut self.live.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
