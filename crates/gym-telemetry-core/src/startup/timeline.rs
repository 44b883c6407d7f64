use std::time::{Duration, Instant, SystemTime};

use opentelemetry::metrics::Meter;

use super::{
    Startup,
    origin::{self, HANDED_OVER, SPAWNED},
};

/// The stage that ends when the server begins to accept.
const LAST_STAGE: &str = "accept";

/// The start-up of this process as contiguous stages: `gym.server.startup_stage_duration_ms`.
///
/// The first stage, `process_start`, runs from the moment that the supervisor [stamped](Self::spawn_stamp), or else
/// the kernel started the process, to the timeline's making, so make it first thing in `main`. Each
/// [`mark`](Self::mark) ends the stage that runs, and [`finish`](Self::finish), which belongs where the server begins
/// to accept, ends the last one, `accept`. So the stages add up to the time from the process's start to that moment.
///
/// # Example
///
/// ```
/// use gym_telemetry_core::StartupTimeline;
/// # use opentelemetry::metrics::MeterProvider as _;
/// # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
///
/// let mut startup = StartupTimeline::begin();
/// // … read the configuration …
/// startup.mark("load_config");
/// // … bind and listen …
/// startup.mark("bind");
/// let ready_after = startup.report(&meter, "policy_model", "responses_api_models");
/// assert!(ready_after > std::time::Duration::ZERO);
/// ```
#[derive(Debug)]
#[must_use = "a start-up that is not reported was timed for nothing"]
pub struct StartupTimeline {
    began: SystemTime,
    stages: Vec<(&'static str, Duration)>,
    since: Instant,
    worker: bool,
}

impl StartupTimeline {
    /// The timeline of this process, in its second stage.
    ///
    /// The kernel tells a process's start to 10 ms (`starttime` of `proc_pid_stat(5)`); where nobody tells anything,
    /// the first stage is empty.
    pub fn begin() -> Self {
        Self::of(false)
    }

    /// The timeline of a worker of a server with several.
    ///
    /// Its first stage is `worker_start`, from the [hand-over](Self::hand_over_stamp) or the process's own start.
    pub fn begin_worker() -> Self {
        Self::of(true)
    }

    fn of(worker: bool) -> Self {
        let first = origin::first_stage(worker);
        // From here on the clock that is never set counts alone.
        let (now, since) = (SystemTime::now(), Instant::now());
        Self { began: now.checked_sub(first.1).unwrap_or(now), stages: vec![first], since, worker }
    }

    /// What a supervisor adds to the environment of a server right before it spawns it.
    ///
    /// # Example
    ///
    /// ```
    /// use std::process::Command;
    ///
    /// use gym_telemetry_core::StartupTimeline;
    ///
    /// let mut server = Command::new("policy-server");
    /// server.envs([StartupTimeline::spawn_stamp()]);
    /// # assert_eq!(server.get_envs().count(), 1);
    /// ```
    #[must_use = "it belongs into the environment of the server"]
    pub fn spawn_stamp() -> (&'static str, String) {
        (SPAWNED, origin::stamp(SystemTime::now()))
    }

    /// What the main process of a server adds to the environment of its workers right before it spawns them.
    #[must_use = "it belongs into the environment of the workers"]
    pub fn hand_over_stamp() -> (&'static str, String) {
        (HANDED_OVER, origin::stamp(SystemTime::now()))
    }

    /// Ends the stage that has been running since the last mark, under this name.
    pub fn mark(&mut self, stage: &'static str) {
        let now = Instant::now();
        self.stages.push((stage, now.saturating_duration_since(self.since)));
        self.since = now;
    }

    /// The stages so far, in order.
    #[must_use]
    pub fn stages(&self) -> &[(&'static str, Duration)] {
        &self.stages
    }

    /// The server begins to accept, which ends the last stage.
    pub fn finish(mut self, server_name: impl Into<String>, server_type: impl Into<String>) -> Startup {
        self.mark(LAST_STAGE);
        let Self { began, stages, worker, .. } = self;
        Startup::new(began, stages, [server_name.into(), server_type.into()], worker)
    }

    /// The same for metrics alone: records every stage through `meter`, and returns the time that the server took to be
    /// ready.
    pub fn report(self, meter: &Meter, server_name: &str, server_type: &str) -> Duration {
        let startup = self.finish(server_name, server_type);
        startup.record(meter);
        startup.took()
    }
}
