use std::time::Duration;

/// How a [`LagWatcher`](crate::LagWatcher) watches.
///
/// # Example
///
/// ```
/// use std::time::Duration;
///
/// use gym_telemetry_runtime::LagSettings;
///
/// let settings = LagSettings::new().interval(Duration::from_millis(50)).tasks(true);
/// # drop(settings);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "settings do nothing until a watcher is made with them"]
pub struct LagSettings {
    pub(super) interval: Duration,
    pub(super) warn_after: Duration,
    pub(super) tasks: bool,
    pub(super) each_worker: bool,
    #[cfg(feature = "tokio-metrics")]
    pub(super) scheduler: bool,
}

impl LagSettings {
    /// A probe each 100 ms, a warning for what waited 100 ms or more; tasks are not counted, workers not told apart.
    pub fn new() -> Self {
        let interval = Duration::from_millis(100);
        Self {
            interval,
            warn_after: interval,
            tasks: false,
            each_worker: false,
            #[cfg(feature = "tokio-metrics")]
            scheduler: false,
        }
    }

    /// The time from one probe to the next, at least 1 ms. What has not run after it is overdue.
    pub fn interval(mut self, interval: Duration) -> Self {
        self.interval = interval.max(Duration::from_millis(1));
        self
    }

    /// How long an episode must last to be worth a warning.
    pub fn warn_after(mut self, least: Duration) -> Self {
        self.warn_after = least;
        self
    }

    /// Whether `gym.event_loop.tasks` is reported.
    pub fn tasks(mut self, on: bool) -> Self {
        self.tasks = on;
        self
    }

    /// Whether each worker of a multi-thread runtime is watched besides the runtime as a whole.
    ///
    /// A worker stalls when it is away from its queue, in one poll or a short run of them, from one look to the next.
    /// A stall is one sample when it ends, exact where the worker had nothing else to do, and at most an interval too
    /// long otherwise. It costs the runtime nothing: what tokio counts by worker is read from outside.
    pub fn each_worker(mut self, on: bool) -> Self {
        self.each_worker = on;
        self
    }

    /// Whether `gym.telemetry.event_loop.busy_ratio` and `gym.telemetry.event_loop.queue_depth` are reported.
    ///
    /// While the watcher's own task is overdue it may be in the queue with the others.
    ///
    /// Blocking threads, yields forced by the budget and the distribution of poll times are not to be had: tokio tells
    /// them to programs alone that are built with `--cfg tokio_unstable`.
    #[cfg(feature = "tokio-metrics")]
    pub fn scheduler(mut self, on: bool) -> Self {
        self.scheduler = on;
        self
    }
}

impl Default for LagSettings {
    fn default() -> Self {
        Self::new()
    }
}
