use std::time::Instant;

use gym_telemetry_conventions::{ConnectOutcome, QueueConstraint, QueueOutcome};

use super::{destination::DestinationShard, recorder::PoolShard};
use crate::shard::Shard;

/// A call that waits for the head of its response, until this is dropped.
#[derive(Debug)]
#[must_use = "dropping it ends the call"]
pub struct ClientRequest {
    shard: Option<Shard<PoolShard>>,
}

/// A caller that waits for a slot: one sample of `gym.http.connection_pool.queue_duration_ms`, `abandoned` if it is
/// dropped before the slot was [`granted`](Self::granted).
#[derive(Debug)]
#[must_use = "dropping it counts the wait as abandoned"]
pub struct QueuedAcquisition {
    shard: Option<Shard<DestinationShard>>,
    constraint: QueueConstraint,
    outcome: QueueOutcome,
    since: Instant,
}

/// A connection that is being opened: one sample of `gym.http.connection_pool.connect_duration_ms`, `failed` if it is
/// dropped before it [`succeeded`](Self::succeed).
#[derive(Debug)]
#[must_use = "dropping it counts the connection as failed"]
pub struct OpeningConnection {
    shard: Option<Shard<DestinationShard>>,
    outcome: ConnectOutcome,
    since: Instant,
}

impl ClientRequest {
    #[inline]
    pub(super) fn new(shard: Option<Shard<PoolShard>>) -> Self {
        if let Some(shard) = &shard {
            shard.in_flight.enter();
        }
        Self { shard }
    }
}

impl QueuedAcquisition {
    pub(super) fn new(shard: Option<Shard<DestinationShard>>, constraint: QueueConstraint) -> Self {
        Self { shard, constraint, outcome: QueueOutcome::Abandoned, since: Instant::now() }
    }

    /// The wait ended with a slot.
    pub fn granted(mut self) {
        self.outcome = QueueOutcome::Ok;
    }
}

impl OpeningConnection {
    pub(super) fn new(shard: Option<Shard<DestinationShard>>) -> Self {
        Self { shard, outcome: ConnectOutcome::Failed, since: Instant::now() }
    }

    /// The connection stands.
    pub fn succeed(mut self) {
        self.outcome = ConnectOutcome::Ok;
    }
}

impl Drop for ClientRequest {
    #[inline]
    fn drop(&mut self) {
        if let Some(shard) = &self.shard {
            shard.here().in_flight.leave();
        }
    }
}

impl Drop for QueuedAcquisition {
    fn drop(&mut self) {
        if let Some(shard) = &self.shard {
            let buckets = &shard.here().queue_duration[self.constraint.index()][self.outcome.index()];
            buckets.record_duration(self.since.elapsed());
        }
    }
}

impl Drop for OpeningConnection {
    fn drop(&mut self) {
        if let Some(shard) = &self.shard {
            shard.here().connect_duration[self.outcome.index()].record_duration(self.since.elapsed());
        }
    }
}
