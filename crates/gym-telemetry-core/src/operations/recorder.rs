use std::sync::{Arc, OnceLock};

use gym_telemetry_conventions::{Executor, Instrument, Operation, metrics};
use opentelemetry::metrics::{Histogram, Meter};

use super::{
    QueuedOperation,
    series::{OperationShard, Series},
};
use crate::{
    count::Level,
    histogram::{Measure as _, Millis},
    report::{Report, signed},
};

/// Counts the operations that a resources server runs behind a limit: `gym.resources.operation.*`.
///
/// Series appear with the first operation of their kind.
///
/// # Example
///
/// ```
/// use gym_telemetry_conventions::{Executor, Operation, OperationOutcome};
/// use gym_telemetry_core::OperationMetrics;
/// # use opentelemetry::metrics::MeterProvider as _;
/// # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
///
/// let operations = OperationMetrics::new(&meter);
/// let waiting = operations.queue(Operation::Verify, Executor::Subprocess);
/// // … the limit has a place …
/// let running = waiting.start();
/// let seen = operations.snapshot(Operation::Verify, Executor::Subprocess);
/// assert_eq!((seen.queued, seen.active), (0, 1));
/// running.end(OperationOutcome::Ok);
/// ```
#[derive(Debug, Clone)]
#[must_use = "dropping it ends its series"]
pub struct OperationMetrics {
    inner: Arc<Inner>,
}

/// How many operations of one kind wait and run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OperationSnapshot {
    /// Operations that wait for their limit.
    pub queued: u64,
    /// Operations that run inside it.
    pub active: u64,
}

#[derive(Debug)]
struct Inner {
    queue_duration: Histogram<f64>,
    duration: Histogram<f64>,
    series: [[OnceLock<Series>; Executor::ALL.len()]; Operation::ALL.len()],
}

impl OperationMetrics {
    /// A recorder whose series are reported through `meter`.
    pub fn new(meter: &Meter) -> Self {
        let inner = Arc::new(Inner {
            queue_duration: Millis::build(meter, &metrics::RESOURCES_OPERATION_QUEUE_DURATION_MS),
            duration: Millis::build(meter, &metrics::RESOURCES_OPERATION_DURATION_MS),
            series: Default::default(),
        });
        let report = Report::new(meter, &inner);
        report.on_collection(|inner| inner.iter().for_each(Series::hand_over));
        let level = |instrument: &'static Instrument, level: fn(&OperationShard) -> &Level| {
            report.up_down_counter(instrument, move |inner: &Inner, observer| {
                for series in inner.iter() {
                    observer.observe(signed(Level::read(&series.shards, level).1), series.attributes());
                }
            });
        };
        level(&metrics::RESOURCES_OPERATION_QUEUED, |shard| &shard.queued);
        level(&metrics::RESOURCES_OPERATION_ACTIVE, |shard| &shard.active);
        Self { inner }
    }

    /// An operation begins to wait for its limit.
    pub fn queue(&self, operation: Operation, executor: Executor) -> QueuedOperation {
        let Inner { queue_duration, duration, series } = &*self.inner;
        let series = series[operation.index()][executor.index()]
            .get_or_init(|| Series::new(operation, executor, queue_duration, duration));
        QueuedOperation::new(series.shards.local().clone())
    }

    /// How many operations of one kind wait and run now.
    #[must_use]
    pub fn snapshot(&self, operation: Operation, executor: Executor) -> OperationSnapshot {
        let series = self.inner.series[operation.index()][executor.index()].get();
        series.map_or_else(OperationSnapshot::default, |series| OperationSnapshot {
            queued: Level::read(&series.shards, |shard| &shard.queued).1,
            active: Level::read(&series.shards, |shard| &shard.active).1,
        })
    }
}

impl Inner {
    fn iter(&self) -> impl Iterator<Item = &Series> {
        self.series.iter().flatten().filter_map(OnceLock::get)
    }
}
