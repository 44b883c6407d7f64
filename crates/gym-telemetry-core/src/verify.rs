//! Verifications: how long they take, and which fraction of them completed.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use gym_telemetry_conventions::metrics;
use opentelemetry::metrics::Meter;

use crate::{
    count::Count,
    histogram::{Buckets, Millis},
    report::Report,
    shard::{Shard, Sharded},
};

/// Counts verifications: `gym.verify.duration_ms` and `gym.verify.success_rate`.
///
/// A verification succeeds when the verifier came to a verdict, whichever: scoring a wrong answer is a success.
///
/// # Example
///
/// ```
/// use gym_telemetry_core::VerifyMetrics;
/// # use opentelemetry::metrics::MeterProvider as _;
/// # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
///
/// let verify = VerifyMetrics::new(&meter);
/// let verification = verify.start();
/// let reward: Result<f64, std::num::ParseFloatError> = "0.5".parse();
/// if reward.is_ok() {
///     verification.succeed(); // dropped without it, it failed
/// }
/// assert_eq!(verify.success_rate(), Some(1.0));
/// ```
#[derive(Debug, Clone)]
#[must_use = "dropping it ends its series"]
pub struct VerifyMetrics {
    shards: Arc<Sharded<VerifyShard>>,
}

/// One verification under way. Dropped, it is recorded as failed.
#[derive(Debug)]
#[must_use = "dropping it records the verification as failed"]
pub struct Verification {
    shard: Shard<VerifyShard>,
    started: Instant,
    succeeded: bool,
}

#[derive(Debug)]
struct VerifyShard {
    duration: Buckets<Millis>,
    succeeded: Count,
    failed: Count,
}

impl VerifyMetrics {
    /// A recorder whose series are reported through `meter`.
    pub fn new(meter: &Meter) -> Self {
        let shards = Arc::new(Sharded::new(|| VerifyShard {
            duration: Buckets::new(&metrics::VERIFY_DURATION_MS),
            succeeded: Count::default(),
            failed: Count::default(),
        }));
        let report = Report::new(meter, &shards);
        report.histogram(&metrics::VERIFY_DURATION_MS, |shard| &shard.duration);
        report.gauge_f64(&metrics::VERIFY_SUCCESS_RATE, |shards, observer| {
            if let Some(rate) = success_rate(shards) {
                observer.observe(rate, &[]);
            }
        });
        Self { shards }
    }

    /// Starts to time one verification.
    pub fn start(&self) -> Verification {
        Verification { shard: self.shards.local().clone(), started: Instant::now(), succeeded: false }
    }

    /// One verification took this long and came to a verdict or not.
    pub fn record(&self, took: Duration, succeeded: bool) {
        self.shards.local().record(took, succeeded);
    }

    /// The fraction of verifications so far that succeeded; none before the first.
    #[must_use]
    pub fn success_rate(&self) -> Option<f64> {
        success_rate(&self.shards)
    }
}

impl Verification {
    /// The verifier came to a verdict.
    pub fn succeed(mut self) {
        self.succeeded = true;
    }
}

impl Drop for Verification {
    fn drop(&mut self) {
        self.shard.here().record(self.started.elapsed(), self.succeeded);
    }
}

impl VerifyShard {
    fn record(&self, took: Duration, succeeded: bool) {
        self.duration.record_duration(took);
        if succeeded { &self.succeeded } else { &self.failed }.add(1);
    }
}

/// How often a reading is tried again while others record; after that it may mix two moments.
const ATTEMPTS: usize = 1_000;

/// A fraction that really held: totals only grow, so two equal readings in a row held at the moment between them.
#[expect(clippy::cast_precision_loss, reason = "2^53 verifications are more than any process makes")]
fn success_rate(shards: &Sharded<VerifyShard>) -> Option<f64> {
    let read = || (shards.sum(|shard| shard.succeeded.get()), shards.sum(|shard| shard.failed.get()));
    let mut seen = read();
    for _ in 0..ATTEMPTS {
        let again = read();
        if again == seen {
            break;
        }
        seen = again;
    }
    let (succeeded, failed) = seen;
    (succeeded + failed > 0).then(|| succeeded as f64 / (succeeded + failed) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Reader;

    #[test]
    fn the_rate_is_absent_before_the_first_and_counts_every_end() {
        let reader = Reader::new();
        let verify = VerifyMetrics::new(&reader.meter());
        assert!(reader.collect().is_empty());
        (0..3).for_each(|_| verify.start().succeed());
        drop(verify.start());
        let seen = reader.collect();
        assert_eq!(seen.value("gym.verify.success_rate", &[]), Some(0.75));
        assert_eq!(seen.histogram("gym.verify.duration_ms", &[]).map(|seen| seen.0), Some(4));
    }

    #[test]
    fn the_rate_holds_with_many_threads() {
        let verify = VerifyMetrics::new(&Reader::new().meter());
        std::thread::scope(|scope| {
            for succeeded in [true, false, true, true] {
                let verify = &verify;
                scope.spawn(move || (0..10_000).for_each(|_| verify.record(Duration::ZERO, succeeded)));
            }
        });
        assert_eq!(verify.success_rate(), Some(0.75));
    }
}
