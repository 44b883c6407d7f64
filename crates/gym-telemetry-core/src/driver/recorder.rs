use std::{sync::Arc, time::Duration};

use gym_telemetry_conventions::metrics;
use opentelemetry::metrics::Meter;

use super::{Active, DriverSnapshot, Resident, RolloutSize, shard::DriverShard, snapshot::report_totals};
use crate::{report::Report, shard::Sharded};

/// Counts what a rollout driver does: `gym.driver.*`.
///
/// The totals are reported once something was offered; a process that offers nothing has no such series.
///
/// # Example
///
/// ```
/// use std::time::Duration;
///
/// use gym_telemetry_core::DriverMetrics;
/// # use opentelemetry::metrics::MeterProvider as _;
/// # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
///
/// let driver = DriverMetrics::new(&meter);
/// let rollout = driver.offer();
/// let running = driver.admitted(Duration::from_millis(3));
/// let seen = driver.snapshot();
/// assert_eq!((seen.offered, seen.resident, seen.active, seen.waiting()), (1, 1, 1, 0));
/// # drop((rollout, running));
/// ```
#[derive(Debug, Clone)]
#[must_use = "dropping it ends its series"]
pub struct DriverMetrics {
    shards: Arc<Sharded<DriverShard>>,
}

impl DriverMetrics {
    /// A recorder whose series are reported through `meter`.
    pub fn new(meter: &Meter) -> Self {
        let shards = Arc::new(Sharded::new(DriverShard::new));
        let report = Report::new(meter, &shards);
        report_totals(&report);
        report.histogram(&metrics::DRIVER_ADMISSION_DURATION_MS, |shard| &shard.admission);
        report.histogram(&metrics::DRIVER_OUTPUT_WRITE_DURATION_MS, |shard| &shard.output_write_duration);
        report.histogram(&metrics::DRIVER_OUTPUT_WRITE_BYTES, |shard| &shard.output_write_bytes);
        report.histogram(&metrics::DRIVER_MATERIALIZE_DURATION_MS, |shard| &shard.materialize);
        report.histogram(&metrics::DRIVER_ROLLOUT_INPUT_ITEMS, |shard| &shard.input_items);
        report.histogram(&metrics::DRIVER_ROLLOUT_OUTPUT_ITEMS, |shard| &shard.output_items);
        report.histogram(&metrics::DRIVER_ROLLOUT_TURNS, |shard| &shard.turns);
        report.histogram(&metrics::DRIVER_ROLLOUT_TOOL_CALLS, |shard| &shard.tool_calls);
        Self { shards }
    }

    /// A rollout was handed to dispatch; it is resident until the guard is dropped.
    #[inline]
    pub fn offer(&self) -> Resident {
        Resident::new(self.shards.local().clone())
    }

    /// The same for a rollout that is a future: it is resident from now until the future is ready, was dropped or
    /// panicked.
    pub fn resident<F: Future>(&self, rollout: F) -> impl Future<Output = F::Output> + use<F> {
        let resident = self.offer();
        async move {
            // In this order they are dropped, even if this is never polled.
            let (rollout, _resident) = (rollout, resident);
            rollout.await
        }
    }

    /// A rollout passed the concurrency limit after a wait of `waited`; it is active until the guard is dropped.
    #[inline]
    pub fn admitted(&self, waited: Duration) -> Active {
        Active::new(self.shards.local().clone(), waited)
    }

    /// One output row of `bytes` bytes, its line break included, was written and flushed.
    pub fn output_written(&self, took: Duration, bytes: u64) {
        let shard = self.shards.local();
        shard.output_write_duration.record_duration(took);
        shard.output_write_bytes.record(bytes);
    }

    /// The input rows of a run were read, repeated and written out.
    pub fn materialized(&self, took: Duration) {
        self.shards.local().materialize.record_duration(took);
    }

    /// One rollout completed with this size.
    pub fn rollout_completed(&self, size: RolloutSize) {
        let shard = self.shards.local();
        shard.input_items.record(size.input_items);
        shard.output_items.record(size.output_items);
        shard.tool_calls.record(size.tool_calls);
        if let Some(turns) = size.turns {
            shard.turns.record(turns);
        }
    }

    /// What has been counted so far.
    #[must_use]
    pub fn snapshot(&self) -> DriverSnapshot {
        DriverSnapshot::read(&self.shards)
    }
}
