use std::time::{Duration, Instant};

use crate::{latest::Latest, nanos::nanos};

/// What is known of a watched loop at this moment.
#[derive(Debug)]
pub(super) struct Live {
    /// Moments are in nanoseconds after this one.
    epoch: Instant,
    /// When the task was made ready that has not run yet.
    ready: Latest,
    /// How long its last wait was.
    last: Latest,
    /// Since when the longest stalled worker has not come back to its tasks.
    stalled: Latest,
    pub(super) tasks: Latest,
    pub(super) queue_depth: Latest,
}

impl Live {
    pub(super) fn new() -> Self {
        Self {
            epoch: Instant::now(),
            ready: Latest::none(),
            last: Latest::none(),
            stalled: Latest::none(),
            tasks: Latest::none(),
            queue_depth: Latest::none(),
        }
    }

    pub(super) fn make_ready(&self) {
        self.ready.set(self.now());
    }

    /// Who sees that the task waits no more finds this last wait.
    pub(super) fn end_wait(&self, lag: Duration) {
        self.last.set(nanos(lag));
        self.ready.clear();
    }

    pub(super) fn waiting(&self) -> Option<Duration> {
        self.ready.get().map(|since| self.since(since))
    }

    pub(super) fn last(&self) -> Option<Duration> {
        self.last.get().map(Duration::from_nanos)
    }

    pub(super) fn set_stalled(&self, lasted: Option<Duration>) {
        match lasted {
            Some(lasted) => self.stalled.set(self.now().saturating_sub(nanos(lasted))),
            None => self.stalled.clear(),
        }
    }

    /// The lag so far: that of the waiting task or of the stalled worker, whichever is longer.
    pub(super) fn lag(&self) -> Duration {
        let since = [self.ready.get(), self.stalled.get()].into_iter().flatten().min();
        since.map_or(Duration::ZERO, |since| self.since(since))
    }

    fn now(&self) -> u64 {
        nanos(self.epoch.elapsed())
    }

    fn since(&self, moment: u64) -> Duration {
        Duration::from_nanos(self.now().saturating_sub(moment))
    }
}
