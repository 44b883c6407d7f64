//! Verifications: how long they take, and which fraction of them completed.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use gym_telemetry_conventions::metrics;
use opentelemetry::metrics::Meter;

use crate::{
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
    /// A lock of its own thread's, so that a reader who takes them all sees one moment.
    tally: Mutex<Tally>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    succeeded: u64,
    total: u64,
}

impl VerifyMetrics {
    /// A recorder whose series are reported through `meter`.
    pub fn new(meter: &Meter) -> Self {
        let shards = Arc::new(Sharded::new(|| VerifyShard {
            duration: Buckets::new(&metrics::VERIFY_DURATION_MS),
            tally: Mutex::default(),
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
        let mut tally = self.tally();
        tally.succeeded += u64::from(succeeded);
        tally.total += 1;
    }

    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The fraction of this moment: nothing is counted between the first lock and the last.
#[expect(clippy::cast_precision_loss, reason = "2^53 verifications are more than any process makes")]
fn success_rate(shards: &Sharded<VerifyShard>) -> Option<f64> {
    let locked: Vec<_> = shards.iter().map(VerifyShard::tally).collect();
    let sum = |number: fn(&Tally) -> u64| locked.iter().map(|tally| number(tally)).sum::<u64>();
    let (succeeded, total) = (sum(|tally| tally.succeeded), sum(|tally| tally.total));
    (total > 0).then(|| succeeded as f64 / total as f64)
}

#[cfg(test)]
mod tests {
    use std::{
        panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
        sync::atomic::{AtomicU64, Ordering},
        thread,
    };

    use opentelemetry::metrics::MeterProvider as _;
    use opentelemetry_sdk::metrics::SdkMeterProvider;
    use proptest::prelude::*;

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
    fn the_rate_is_always_one_that_held() {
        let verify = VerifyMetrics::new(&SdkMeterProvider::builder().build().meter("test"));
        let recorded = AtomicU64::new(0);
        thread::scope(|scope| {
            let threads: Vec<_> = (0..3)
                .map(|_| {
                    scope.spawn(|| {
                        for _ in 0..20_000 {
                            verify.record(Duration::ZERO, true);
                            verify.record(Duration::ZERO, false);
                            recorded.fetch_add(2, Ordering::SeqCst);
                        }
                    })
                })
                .collect();
            while threads.iter().any(|thread| !thread.is_finished()) {
                let before = recorded.load(Ordering::SeqCst);
                // No thread is ever more than one success ahead.
                let most = 0.5 + 1.5 / (before.max(1) as f64);
                assert!(verify.success_rate().is_none_or(|rate| (0.5..=most).contains(&rate)));
            }
        });
        assert_eq!(verify.success_rate(), Some(0.5));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        /// Whether a verification would succeed and whether it panics before.
        #[test]
        fn every_end_counts_once(ends in prop::collection::vec(any::<(bool, bool)>(), 0..50)) {
            let reader = Reader::new();
            let verify = VerifyMetrics::new(&reader.meter());
            for (succeeds, panics) in &ends {
                let verified = catch_unwind(AssertUnwindSafe(|| {
                    let verification = verify.start();
                    if *panics {
                        resume_unwind(Box::new("the verifier broke"));
                    }
                    if *succeeds { verification.succeed() } else { drop(verification) }
                }));
                prop_assert_eq!(verified.is_err(), *panics);
            }
            let succeeded = ends.iter().filter(|end| **end == (true, false)).count() as f64;
            let rate = (!ends.is_empty()).then(|| succeeded / ends.len() as f64);
            let seen = reader.collect();
            prop_assert_eq!(seen.value("gym.verify.success_rate", &[]), rate);
            let samples = seen.histogram("gym.verify.duration_ms", &[]).map_or(0, |seen| seen.0);
            prop_assert_eq!(samples, ends.len() as u64);
        }
    }
}
