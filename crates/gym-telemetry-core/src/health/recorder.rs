use std::sync::Arc;

use gym_telemetry_conventions::{HealthCheck, HealthVerdict, Outcome, attributes, metrics};
use opentelemetry::{KeyValue, metrics::Meter};

use super::RolloutHealth;
use crate::{count::Count, report::Report, shard::Sharded};

/// Counts the health of rollouts: `gym.rollout.health_verdict_total` and `gym.rollout.health_flagged_total`.
///
/// # Example
///
/// ```
/// use gym_telemetry_conventions::{HealthCheck, Outcome};
/// use gym_telemetry_core::{HealthMetrics, RolloutHealth};
/// # use opentelemetry::metrics::MeterProvider as _;
/// # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
///
/// let metrics = HealthMetrics::new(&meter);
/// let mut health = RolloutHealth::default();
/// health.flag(HealthCheck::ModelCallFailed);
/// metrics.evaluated(Outcome::Scored, &health);
/// ```
#[derive(Debug, Clone)]
#[must_use = "dropping it ends its series"]
pub struct HealthMetrics {
    shards: Arc<Sharded<HealthShard>>,
}

/// What one thread counts of health, each by outcome.
#[derive(Debug, Default)]
struct HealthShard {
    verdicts: [[Count; Outcome::ALL.len()]; HealthVerdict::ALL.len()],
    flagged: [[Count; Outcome::ALL.len()]; HealthCheck::ALL.len()],
}

impl HealthMetrics {
    /// A recorder whose series are reported through `meter`.
    pub fn new(meter: &Meter) -> Self {
        let shards = Arc::new(Sharded::new(HealthShard::default));
        let report = Report::new(meter, &shards);
        report.counter(&metrics::ROLLOUT_HEALTH_VERDICT_TOTAL, |shards, observer| {
            for verdict in HealthVerdict::ALL {
                let word = KeyValue::new(attributes::HEALTH_VERDICT.key, verdict.as_str());
                for (count, outcome) in by_outcome(shards, |shard| &shard.verdicts[verdict.index()]) {
                    observer.observe(count, &[word.clone(), outcome]);
                }
            }
        });
        report.counter(&metrics::ROLLOUT_HEALTH_FLAGGED_TOTAL, |shards, observer| {
            for check in HealthCheck::ALL {
                let word = KeyValue::new(attributes::HEALTH_CHECK.key, check.as_str());
                for (count, outcome) in by_outcome(shards, |shard| &shard.flagged[check.index()]) {
                    observer.observe(count, &[word.clone(), outcome]);
                }
            }
        });
        Self { shards }
    }

    /// One rollout with this outcome was evaluated. It counts once, and once for each check that flagged it.
    pub fn evaluated(&self, outcome: Outcome, health: &RolloutHealth) {
        let shard = self.shards.local();
        shard.verdicts[health.verdict().index()][outcome.index()].add(1);
        for check in health.flagged() {
            shard.flagged[check.index()][outcome.index()].add(1);
        }
    }
}

/// The counts that are not zero, each with its outcome.
fn by_outcome(
    shards: &Sharded<HealthShard>,
    counts: impl Fn(&HealthShard) -> &[Count; Outcome::ALL.len()],
) -> impl Iterator<Item = (u64, KeyValue)> {
    Outcome::ALL.iter().filter_map(move |outcome| {
        let count = shards.sum(|shard| counts(shard)[outcome.index()].get());
        (count > 0).then(|| (count, KeyValue::new(attributes::ROLLOUT_OUTCOME.key, outcome.as_str())))
    })
}
