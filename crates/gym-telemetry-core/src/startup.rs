//! How long a server takes to start, stage by stage.

use std::time::{Duration, Instant};

use gym_telemetry_conventions::{StartupStage, attributes, metrics};
use opentelemetry::{KeyValue, metrics::Meter};

use crate::histogram::{Measure as _, Millis};

/// The start-up of this process as contiguous stages: `gym.server.startup_stage_duration_ms`.
///
/// The first stage, `process_start`, runs from the moment that the kernel started the process to the timeline's
/// making, so make it first thing in `main`. Each [`mark`](Self::mark) ends the stage that runs. The stages add up to
/// the time from the process's start to [`report`](Self::report), which belongs where the server begins to accept.
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
#[derive(Debug, Clone)]
#[must_use = "a start-up that is not reported was timed for nothing"]
pub struct StartupTimeline {
    stages: Vec<(&'static str, Duration)>,
    since: Instant,
    worker: bool,
}

impl StartupTimeline {
    /// The timeline of this process, in its second stage.
    ///
    /// The kernel tells a process's start to 10 ms (`starttime` of `proc_pid_stat(5)`); where it tells nothing, the
    /// first stage is empty.
    pub fn begin() -> Self {
        let first = (StartupStage::ProcessStart.as_str(), process_age().unwrap_or_default());
        Self { stages: vec![first], since: Instant::now(), worker: false }
    }

    /// Says that this process is a worker of a server with several.
    pub fn worker(mut self) -> Self {
        self.worker = true;
        self
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

/// How long ago the kernel started this process.
fn process_age() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let uptime = std::fs::read_to_string("/proc/uptime").ok()?;
    age(&stat, &uptime)
}

/// Clock ticks of user space in a second: fixed at 100 on Linux, whatever the kernel's own timer.
const TICKS_PER_SECOND: f64 = 100.0;

/// The age of a process from the text of its `stat` and of `uptime`.
fn age(stat: &str, uptime: &str) -> Option<Duration> {
    // The name of the program is in parentheses and may hold any character; the start is field 22.
    let started: f64 = stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()?;
    let up: f64 = uptime.split_whitespace().next()?.parse().ok()?;
    Duration::try_from_secs_f64(up - started / TICKS_PER_SECOND).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Reader;

    #[test]
    fn the_age_of_a_process_is_read_past_any_name() {
        let stat = "42 (a ) b) S 1 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 123450 1 1 1";
        assert_eq!(age(stat, "1240.50 99.00"), Some(Duration::from_secs(6)));
        assert_eq!(age(stat, "1.0 99.00"), None);
        assert_eq!(age("42 (short) S", "1.0"), None);
    }

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
}
