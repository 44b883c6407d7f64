use std::{sync::Arc, time::Duration};

use gym_telemetry_conventions::metrics;
use opentelemetry::metrics::Meter;

use super::{Active, Resident};
use crate::{
    count::Level,
    histogram::{Amount, Buckets, Millis},
    report::{Report, signed},
    shard::Sharded,
};

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

/// What a [`DriverMetrics`] has counted so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DriverSnapshot {
    /// Rollouts that were handed to dispatch.
    pub offered: u64,
    /// Rollouts that exist and have not finished.
    pub resident: u64,
    /// Rollouts that were admitted and run.
    pub active: u64,
}

/// How large one completed rollout is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RolloutSize {
    /// Input items that it started with.
    pub input_items: u64,
    /// Output items of its final response.
    pub output_items: u64,
    /// Agent turns, where the rollout says how many there were.
    pub turns: Option<u64>,
    /// Tool calls.
    pub tool_calls: u64,
}

/// What one thread counts of a driver.
#[derive(Debug)]
pub(super) struct DriverShard {
    pub(super) resident: Level,
    pub(super) active: Level,
    pub(super) admission: Buckets<Millis>,
    output_write_duration: Buckets<Millis>,
    output_write_bytes: Buckets<Amount>,
    materialize: Buckets<Millis>,
    input_items: Buckets<Amount>,
    output_items: Buckets<Amount>,
    turns: Buckets<Amount>,
    tool_calls: Buckets<Amount>,
}

impl DriverMetrics {
    /// A recorder whose series are reported through `meter`.
    pub fn new(meter: &Meter) -> Self {
        let shards = Arc::new(Sharded::new(DriverShard::new));
        let report = Report::new(meter, &shards);
        report.counter(&metrics::DRIVER_ROLLOUTS_OFFERED_TOTAL, |shards, observer| {
            let (offered, _) = Level::read(shards, |shard| &shard.resident);
            if offered > 0 {
                observer.observe(offered, &[]);
            }
        });
        let level = |instrument, level: fn(&DriverShard) -> &Level| {
            report.up_down_counter(instrument, move |shards, observer| {
                if Level::read(shards, |shard: &DriverShard| &shard.resident).0 > 0 {
                    observer.observe(signed(Level::read(shards, level).1), &[]);
                }
            });
        };
        level(&metrics::DRIVER_ROLLOUTS_RESIDENT, |shard| &shard.resident);
        level(&metrics::DRIVER_ROLLOUTS_ACTIVE, |shard| &shard.active);
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
    pub fn offer(&self) -> Resident {
        Resident::new(self.shards.local().clone())
    }

    /// A rollout passed the concurrency limit after a wait of `waited`; it is active until the guard is dropped.
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
        // Active before resident: who runs is resident, so no more can be seen to run than to exist.
        let (_, active) = Level::read(&self.shards, |shard| &shard.active);
        let (offered, resident) = Level::read(&self.shards, |shard| &shard.resident);
        DriverSnapshot { offered, resident, active }
    }
}

impl DriverSnapshot {
    /// Rollouts that wait for admission.
    #[must_use]
    pub fn waiting(&self) -> u64 {
        self.resident.saturating_sub(self.active)
    }
}

impl RolloutSize {
    /// The size of a rollout that began with `input_items` and whose final response has `output_items`, of which
    /// `tool_calls` are calls of tools.
    #[must_use]
    pub fn new(input_items: u64, output_items: u64, tool_calls: u64) -> Self {
        Self { input_items, output_items, turns: None, tool_calls }
    }

    /// With the number of agent turns, which only some rollouts tell.
    #[must_use]
    pub fn turns(mut self, turns: u64) -> Self {
        self.turns = Some(turns);
        self
    }
}

impl DriverShard {
    fn new() -> Self {
        Self {
            resident: Level::default(),
            active: Level::default(),
            admission: Buckets::new(&metrics::DRIVER_ADMISSION_DURATION_MS),
            output_write_duration: Buckets::new(&metrics::DRIVER_OUTPUT_WRITE_DURATION_MS),
            output_write_bytes: Buckets::new(&metrics::DRIVER_OUTPUT_WRITE_BYTES),
            materialize: Buckets::new(&metrics::DRIVER_MATERIALIZE_DURATION_MS),
            input_items: Buckets::new(&metrics::DRIVER_ROLLOUT_INPUT_ITEMS),
            output_items: Buckets::new(&metrics::DRIVER_ROLLOUT_OUTPUT_ITEMS),
            turns: Buckets::new(&metrics::DRIVER_ROLLOUT_TURNS),
            tool_calls: Buckets::new(&metrics::DRIVER_ROLLOUT_TOOL_CALLS),
        }
    }
}
