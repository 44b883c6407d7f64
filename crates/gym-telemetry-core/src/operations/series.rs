use gym_telemetry_conventions::{Executor, Operation, OperationOutcome, attributes, metrics};
use opentelemetry::{KeyValue, metrics::Histogram};

use crate::{
    count::Level,
    histogram::{Buckets, Handover, Millis},
    shard::Sharded,
};

/// What is counted of one operation on one executor.
#[derive(Debug)]
pub(super) struct Series {
    pub(super) shards: Sharded<OperationShard>,
    attributes: [KeyValue; 2],
    queue_duration: Handover<Millis>,
    /// By outcome.
    duration: Vec<Handover<Millis>>,
}

/// One thread's part of it.
#[derive(Debug)]
pub(super) struct OperationShard {
    pub(super) queued: Level,
    pub(super) active: Level,
    pub(super) queue_duration: Buckets<Millis>,
    /// By outcome.
    pub(super) duration: [Buckets<Millis>; OperationOutcome::ALL.len()],
}

impl Series {
    pub(super) fn new(
        operation: Operation,
        executor: Executor,
        queue_duration: &Histogram<f64>,
        duration: &Histogram<f64>,
    ) -> Self {
        let attributes = [
            KeyValue::new(attributes::RESOURCES_OPERATION.key, operation.as_str()),
            KeyValue::new(attributes::RESOURCES_EXECUTOR.key, executor.as_str()),
        ];
        let by_outcome = |outcome: &OperationOutcome| {
            let outcome = KeyValue::new(attributes::RESOURCES_OPERATION_OUTCOME.key, outcome.as_str());
            Handover::new(duration.clone(), [&attributes[..], &[outcome]].concat())
        };
        Self {
            shards: Sharded::new(OperationShard::new),
            queue_duration: Handover::new(queue_duration.clone(), attributes.to_vec()),
            duration: OperationOutcome::ALL.iter().map(by_outcome).collect(),
            attributes,
        }
    }

    pub(super) fn attributes(&self) -> &[KeyValue] {
        &self.attributes
    }

    /// Hands the samples of every shard over to the histograms.
    pub(super) fn hand_over(&self) {
        self.queue_duration.run(self.shards.iter().map(|shard| &shard.queue_duration));
        for (outcome, handover) in self.duration.iter().enumerate() {
            handover.run(self.shards.iter().map(|shard| &shard.duration[outcome]));
        }
    }
}

impl OperationShard {
    fn new() -> Self {
        Self {
            queued: Level::default(),
            active: Level::default(),
            queue_duration: Buckets::new(&metrics::RESOURCES_OPERATION_QUEUE_DURATION_MS),
            duration: std::array::from_fn(|_| Buckets::new(&metrics::RESOURCES_OPERATION_DURATION_MS)),
        }
    }
}
