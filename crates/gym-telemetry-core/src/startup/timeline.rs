use std::time::{Duration, Instant, SystemTime};

use gym_telemetry_conventions::{attributes, metrics};
use opentelemetry::{KeyValue, metrics::Meter};

use super::origin::{self, HANDED_OVER, SPAWNED};
use crate::histogram::{Measure as _, Millis};

/// The start-up of this process as contiguous stages: `gym.server.startup_stage_duration_ms`.
///
/// The first stage, `process_start`, runs from the moment that the supervisor [stamped](Self::spawn_stamp), or else
/// the kernel started the process, to the timeline's making, so make it first thing in `main`. Each
/// [`mark`](Self::mark) ends the stage that runs. The stages add up to the time from the process's start to
/// [`report`](Self::report), which belongs where the server begins to accept.
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
        Self { stages: vec![origin::first_stage(false)], since: Instant::now(), worker: false }
    }

    /// The timeline of a worker of a server with several.
    ///
    /// Its first stage is `worker_start`, from the [hand-over](Self::hand_over_stamp) or the process's own start.
    pub fn begin_worker() -> Self {
        Self { stages: vec![origin::first_stage(true)], since: Instant::now(), worker: true }
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

    /// Records every stage through `meter`, and returns their sum: the time that the server took to be ready.
    pub fn report(self, meter: &Meter, server_name: &str, server_type: &str) -> Duration {
        let histogram = Millis::build(meter, &metrics::SERVER_STARTUP_STAGE_DURATION_MS);
        for (stage, took) in &self.stages {
            let attributes = [
                KeyValue::new(attributes::SERVER_NAME.key, server_name.to_owned()),
                KeyValue::new(attributes::SERVER_TYPE.key, server_type.to_owned()),
                KeyValue::new(attributes::STARTUP_STAGE.key, *stage),
                KeyValue::new(attributes::SERVER_WORKER.key, self.worker),
            ];
            histogram.record(took.as_secs_f64() * 1e3, &attributes);
        }
        self.stages.iter().map(|(_, took)| *took).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Reader;

    #[test]
    fn stages_add_up_to_the_time_to_ready() {
        let reader = Reader::new();
        let mut startup = StartupTimeline::begin();
        startup.mark("load_config");
        startup.mark("bind");
        assert_eq!(startup.stages().len(), 3);
        let ready = startup.report(&reader.meter(), "policy", "responses_api_models");
        let seen = reader.collect();
        let stage = |stage| {
            let attributes = [
                ("nemo.gym.server.name", "policy"),
                ("nemo.gym.server.type", "responses_api_models"),
                ("nemo.gym.startup.stage", stage),
                ("nemo.gym.server.worker", "false"),
            ];
            seen.histogram("gym.server.startup_stage_duration_ms", &attributes).unwrap().1
        };
        let sum = stage("process_start") + stage("load_config") + stage("bind");
        assert!((sum - ready.as_secs_f64() * 1e3).abs() < 1e-6);
    }

    #[test]
    fn a_worker_says_that_it_is_one() {
        let reader = Reader::new();
        StartupTimeline::begin_worker().report(&reader.meter(), "policy", "responses_api_models");
        let worker = [
            ("nemo.gym.server.name", "policy"),
            ("nemo.gym.server.type", "responses_api_models"),
            ("nemo.gym.startup.stage", "worker_start"),
            ("nemo.gym.server.worker", "true"),
        ];
        let seen = reader.collect();
        assert_eq!(seen.histogram("gym.server.startup_stage_duration_ms", &worker).map(|seen| seen.0), Some(1));
    }
}
