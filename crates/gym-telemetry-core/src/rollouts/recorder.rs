use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use gym_telemetry_conventions::metrics;
use opentelemetry::metrics::Meter;

use super::{Completed, RolloutSettings, series::Endings};
use crate::{
    histogram::{Buckets, Millis},
    report::Report,
    shard::{Shard, Sharded},
};

/// Counts rollouts: `gym.rollout.duration_ms` at the agent server, `gym.rollout.completed_total` and
/// `gym.rollout.rewarded_total` at the driver.
///
/// # Example
///
/// ```
/// use gym_telemetry_core::{Completed, Failure, RolloutMetrics};
/// # use opentelemetry::metrics::MeterProvider as _;
/// # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
///
/// let rollouts = RolloutMetrics::new(&meter);
/// rollouts.completed(Completed::scored("math").reward(0.5));
/// rollouts.completed(Completed::failed("math", Failure::new("agent_request_failed")));
///
/// let timer = rollouts.start(); // in the agent's `/run`: records when it is dropped, failures too
/// # drop(timer);
/// ```
#[derive(Debug, Clone)]
#[must_use = "dropping it ends its series"]
pub struct RolloutMetrics {
    duration: Arc<Sharded<Buckets<Millis>>>,
    endings: Arc<Endings>,
}

/// Times one rollout, and records it when dropped, however the rollout ended.
#[derive(Debug)]
#[must_use = "dropping it records the rollout's duration"]
pub struct RolloutTimer {
    duration: Shard<Buckets<Millis>>,
    started: Instant,
}

impl RolloutMetrics {
    /// A recorder with the default settings, whose series are reported through `meter`.
    pub fn new(meter: &Meter) -> Self {
        Self::with_settings(meter, RolloutSettings::default())
    }

    /// The same with settings of one's own.
    pub fn with_settings(meter: &Meter, settings: RolloutSettings) -> Self {
        let duration = Arc::new(Sharded::new(|| Buckets::new(&metrics::ROLLOUT_DURATION_MS)));
        Report::new(meter, &duration).histogram(&metrics::ROLLOUT_DURATION_MS, |buckets| buckets);
        let endings = Arc::new(Endings::new(settings));
        let report = Report::new(meter, &endings);
        report.counter(&metrics::ROLLOUT_COMPLETED_TOTAL, |endings, observer| {
            endings.completed(|count, attributes| observer.observe(count, attributes));
        });
        report.counter(&metrics::ROLLOUT_REWARDED_TOTAL, |endings, observer| {
            endings.rewarded(|count, attributes| observer.observe(count, attributes));
        });
        Self { duration, endings }
    }

    /// Starts to time one rollout.
    pub fn start(&self) -> RolloutTimer {
        RolloutTimer { duration: self.duration.local().clone(), started: Instant::now() }
    }

    /// One rollout took this long.
    pub fn record_duration(&self, took: Duration) {
        self.duration.local().record_duration(took);
    }

    /// One dispatch of one row ended, and the row was written or deliberately omitted: counts its outcome and, if it
    /// was scored with a numeric reward, its reward. Call it once a dispatch, however often the request was re-sent.
    pub fn completed(&self, completed: Completed<'_>) {
        self.endings.add(&completed);
    }
}

impl Drop for RolloutTimer {
    fn drop(&mut self) {
        self.duration.here().record_duration(self.started.elapsed());
    }
}
