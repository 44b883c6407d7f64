use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use super::recorder::Series;

/// What a watched loop's series is fed with: one task that is made ready again and again.
///
/// The watcher calls [`ready`](Self::ready) and wakes the task; the task calls [`ran`](Self::ran). In between the lag
/// so far can be read from any thread. Dropping the probe ends what is said of the present; the samples stay.
#[derive(Debug)]
#[must_use = "dropping it ends the watch"]
pub struct EventLoopProbe {
    series: Arc<Series>,
    live: Arc<Live>,
}

/// What is known of a watched loop at this moment.
#[derive(Debug)]
pub(super) struct Live {
    epoch: Instant,
    /// When the task was made ready that has not run yet.
    ready: Moment,
    /// How long its last wait was.
    last: AtomicU64,
    /// Since when the longest stalled worker has not come back to its tasks.
    stalled: Moment,
    /// The number of tasks, once it was told.
    tasks: AtomicU64,
}

/// A moment or none, in nanoseconds after an epoch.
#[derive(Debug)]
struct Moment(AtomicU64);

const NONE: u64 = u64::MAX;

impl EventLoopProbe {
    pub(super) fn new(series: &Arc<Series>) -> Self {
        let live = Arc::new(Live {
            epoch: Instant::now(),
            ready: Moment::none(),
            last: AtomicU64::new(NONE),
            stalled: Moment::none(),
            tasks: AtomicU64::new(NONE),
        });
        series.enter(&live);
        Self { series: Arc::clone(series), live }
    }

    /// The task is made ready now. Returns whether it was not ready already: if it was, it is still the same wait.
    pub fn ready(&self) -> bool {
        let waits = self.live.ready.get().is_some();
        if !waits {
            self.live.ready.set(self.live.now());
        }
        !waits
    }

    /// The task runs: its wait is one sample. A task that was not made ready gives none.
    pub fn ran(&self) -> Option<Duration> {
        let lag = self.waiting()?;
        self.series.record(lag);
        self.live.last.store(nanos(lag), Ordering::Relaxed);
        // Comes last: who sees that the task waits no more finds its sample.
        self.live.ready.set(NONE);
        Some(lag)
    }

    /// A wait that was timed elsewhere is one sample.
    pub fn record(&self, lag: Duration) {
        self.series.record(lag);
    }

    /// The longest of the loop's workers' stalls has lasted this long by now; none of them stalls if there is none.
    pub fn stalled(&self, lasted: Option<Duration>) {
        let since = lasted.map(|lasted| self.live.now().saturating_sub(nanos(lasted)));
        self.live.stalled.set(since.unwrap_or(NONE));
    }

    /// How many tasks the loop holds now.
    pub fn set_tasks(&self, tasks: u64) {
        self.live.tasks.store(tasks, Ordering::Relaxed);
    }

    /// How long the last wait was that ended by running.
    #[must_use]
    pub fn last(&self) -> Option<Duration> {
        Some(self.live.last.load(Ordering::Relaxed)).filter(|last| *last != NONE).map(Duration::from_nanos)
    }

    /// How long the task has been waiting, if it is ready and has not run.
    #[must_use]
    pub fn waiting(&self) -> Option<Duration> {
        self.live.ready.get().map(|since| self.live.since(since))
    }
}

impl Drop for EventLoopProbe {
    fn drop(&mut self) {
        self.series.leave(&self.live);
    }
}

impl Live {
    /// The lag so far: that of the waiting task or of the stalled worker, whichever is longer.
    pub(super) fn lag(&self) -> Duration {
        let moments = [self.ready.get(), self.stalled.get()];
        moments.into_iter().flatten().min().map_or(Duration::ZERO, |since| self.since(since))
    }

    pub(super) fn tasks(&self) -> Option<u64> {
        Some(self.tasks.load(Ordering::Relaxed)).filter(|tasks| *tasks != NONE)
    }

    fn now(&self) -> u64 {
        nanos(self.epoch.elapsed())
    }

    fn since(&self, moment: u64) -> Duration {
        Duration::from_nanos(self.now().saturating_sub(moment))
    }
}

impl Moment {
    fn none() -> Self {
        Self(AtomicU64::new(NONE))
    }

    fn set(&self, nanos: u64) {
        self.0.store(nanos, Ordering::Release);
    }

    fn get(&self) -> Option<u64> {
        Some(self.0.load(Ordering::Acquire)).filter(|moment| *moment != NONE)
    }
}

/// A duration as an integer; 584 years are enough.
pub(super) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(NONE - 1)
}
