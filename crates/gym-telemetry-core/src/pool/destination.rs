use std::sync::OnceLock;

use gym_telemetry_conventions::{ConnectOutcome, QueueConstraint, QueueOutcome, attributes, metrics};
use opentelemetry::{
    KeyValue,
    metrics::{Histogram, Meter},
};

use super::{OpeningConnection, QueuedAcquisition};
use crate::{
    count::Count,
    histogram::{Buckets, Handover, Measure as _, Millis},
    shard::{Shard, Sharded},
    table::Table,
};

/// What calls to one destination are counted with.
#[derive(Debug)]
pub struct DestinationRecorder {
    /// None when it is disabled.
    shard: Option<Shard<DestinationShard>>,
}

/// Every destination that was called.
#[derive(Debug)]
pub(super) struct Destinations {
    named: Table<Series>,
    external: OnceLock<Series>,
    queue_duration: Histogram<f64>,
    connect_duration: Histogram<f64>,
}

/// What is counted of one destination.
#[derive(Debug)]
pub(super) struct Series {
    name: Box<str>,
    shards: Sharded<DestinationShard>,
    /// By constraint and outcome.
    queue_duration: Vec<Vec<Handover<Millis>>>,
    /// By outcome.
    connect_duration: Vec<Handover<Millis>>,
}

/// One thread's part of it.
#[derive(Debug)]
pub(super) struct DestinationShard {
    pub(super) attempts: Count,
    /// By constraint and outcome.
    pub(super) queue_duration: [[Buckets<Millis>; QueueOutcome::ALL.len()]; QueueConstraint::ALL.len()],
    /// By outcome.
    pub(super) connect_duration: [Buckets<Millis>; ConnectOutcome::ALL.len()],
}

impl DestinationRecorder {
    pub(super) fn new(shard: Option<Shard<DestinationShard>>) -> Self {
        Self { shard }
    }

    /// A recorder that counts nothing.
    #[must_use]
    pub fn disabled() -> Self {
        Self { shard: None }
    }

    /// A connection was asked for, whatever comes of it.
    #[inline]
    pub fn attempt(&self) {
        if let Some(shard) = &self.shard {
            shard.here().attempts.add(1);
        }
    }

    /// The limit that binds makes a caller wait.
    pub fn queue(&self, constraint: QueueConstraint) -> QueuedAcquisition {
        QueuedAcquisition::new(self.shard.as_ref().map(Shard::here), constraint)
    }

    /// A new connection is being opened.
    pub fn connect(&self) -> OpeningConnection {
        OpeningConnection::new(self.shard.as_ref().map(Shard::here))
    }
}

impl Clone for DestinationRecorder {
    #[inline]
    fn clone(&self) -> Self {
        Self { shard: self.shard.as_ref().map(Shard::here) }
    }
}

impl Destinations {
    pub(super) fn new(meter: &Meter, limit: usize) -> Self {
        Self {
            named: Table::new(limit),
            external: OnceLock::new(),
            queue_duration: Millis::build(meter, &metrics::HTTP_CONNECTION_POOL_QUEUE_DURATION_MS),
            connect_duration: Millis::build(meter, &metrics::HTTP_CONNECTION_POOL_CONNECT_DURATION_MS),
        }
    }

    /// The series of a destination; beyond the limit, those of calls that name none.
    pub(super) fn get(&self, name: &str) -> &Series {
        let own = || self.named.get_or_insert(name, |series| *series.name == *name, || self.series(name));
        let named = (name != attributes::EXTERNAL_DESTINATION).then(own).flatten();
        named.unwrap_or_else(|| self.external.get_or_init(|| self.series(attributes::EXTERNAL_DESTINATION)))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Series> {
        self.named.iter().chain(self.external.get())
    }

    fn series(&self, name: &str) -> Series {
        Series::new(name, &self.queue_duration, &self.connect_duration)
    }
}

impl Series {
    fn new(name: &str, queue_duration: &Histogram<f64>, connect_duration: &Histogram<f64>) -> Self {
        let destination = KeyValue::new(attributes::DESTINATION_SERVER_NAME.key, name.to_owned());
        let queue = |constraint: &QueueConstraint| {
            let handover = |outcome: &QueueOutcome| {
                let constraint = KeyValue::new(attributes::POOL_QUEUE_CONSTRAINT.key, constraint.as_str());
                let outcome = KeyValue::new(attributes::POOL_QUEUE_OUTCOME.key, outcome.as_str());
                Handover::new(queue_duration.clone(), vec![constraint, outcome, destination.clone()])
            };
            QueueOutcome::ALL.iter().map(handover).collect()
        };
        let connect = |outcome: &ConnectOutcome| {
            let outcome = KeyValue::new(attributes::POOL_CONNECT_OUTCOME.key, outcome.as_str());
            Handover::new(connect_duration.clone(), vec![outcome, destination.clone()])
        };
        Self {
            name: name.into(),
            shards: Sharded::new(DestinationShard::new),
            queue_duration: QueueConstraint::ALL.iter().map(queue).collect(),
            connect_duration: ConnectOutcome::ALL.iter().map(connect).collect(),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn shard(&self) -> Shard<DestinationShard> {
        self.shards.local().clone()
    }

    pub(super) fn attempts(&self) -> u64 {
        self.shards.sum(|shard| shard.attempts.get())
    }

    /// How many waits ended in this way, on any limit.
    pub(super) fn waits(&self, outcome: QueueOutcome) -> u64 {
        let waits = |shard: &DestinationShard| {
            shard.queue_duration.iter().map(|outcomes| outcomes[outcome.index()].count()).fold(0, u64::wrapping_add)
        };
        self.shards.sum(waits)
    }

    /// How many new connections ended in this way.
    pub(super) fn connects(&self, outcome: ConnectOutcome) -> u64 {
        self.shards.sum(|shard| shard.connect_duration[outcome.index()].count())
    }

    /// Hands the samples of every shard over to the histograms.
    pub(super) fn hand_over(&self) {
        for (constraint, outcomes) in self.queue_duration.iter().enumerate() {
            for (outcome, handover) in outcomes.iter().enumerate() {
                handover.run(self.shards.iter().map(|shard| &shard.queue_duration[constraint][outcome]));
            }
        }
        for (outcome, handover) in self.connect_duration.iter().enumerate() {
            handover.run(self.shards.iter().map(|shard| &shard.connect_duration[outcome]));
        }
    }
}

impl DestinationShard {
    fn new() -> Self {
        let queue = || Buckets::new(&metrics::HTTP_CONNECTION_POOL_QUEUE_DURATION_MS);
        Self {
            attempts: Count::default(),
            queue_duration: std::array::from_fn(|_| std::array::from_fn(|_| queue())),
            connect_duration: std::array::from_fn(|_| Buckets::new(&metrics::HTTP_CONNECTION_POOL_CONNECT_DURATION_MS)),
        }
    }
}
