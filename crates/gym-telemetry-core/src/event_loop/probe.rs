use std::{sync::Arc, time::Duration};

use super::{live::Live, series::Series};

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

impl EventLoopProbe {
    pub(super) fn new(series: &Arc<Series>) -> Self {
        let live = Arc::new(Live::new());
        series.enter(&live);
        Self { series: Arc::clone(series), live }
    }

    /// The task is made ready now. If it was ready already, it is still the same wait.
    pub fn ready(&self) {
        if self.waiting().is_none() {
            self.live.make_ready();
        }
    }

    /// The task runs: its wait is one sample. A task that was not made ready gives none.
    pub fn ran(&self) -> Option<Duration> {
        let lag = self.waiting()?;
        self.series.record(lag);
        self.live.end_wait(lag);
        Some(lag)
    }

    /// How long the task has been waiting, if it is ready and has not run.
    #[must_use]
    pub fn waiting(&self) -> Option<Duration> {
        self.live.waiting()
    }

    /// How long the last wait was that ended by running.
    #[must_use]
    pub fn last(&self) -> Option<Duration> {
        self.live.last()
    }

    /// A wait that was timed elsewhere is one sample.
    pub fn record(&self, lag: Duration) {
        self.series.record(lag);
    }

    /// The longest of the loop's workers' stalls has lasted this long by now; none of them stalls if there is none.
    pub fn stalled(&self, lasted: Option<Duration>) {
        self.live.set_stalled(lasted);
    }

    /// How many tasks the loop holds now.
    pub fn set_tasks(&self, tasks: u64) {
        self.live.tasks.set(tasks);
    }

    /// How many tasks wait in the queue that all workers share.
    pub fn set_queue_depth(&self, tasks: u64) {
        self.live.queue_depth.set(tasks);
    }

    /// The loop's workers were busy for this part of the time that they had, over all workers.
    pub fn add_busy(&self, busy: Duration, available: Duration) {
        self.series.add_busy(busy, available);
    }
}

impl Drop for EventLoopProbe {
    fn drop(&mut self) {
        self.series.leave(&self.live);
    }
}
