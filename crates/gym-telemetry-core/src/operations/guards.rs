use std::{thread, time::Instant};

use gym_telemetry_conventions::OperationOutcome;

use super::series::OperationShard;
use crate::shard::Shard;

/// An operation that waits for its limit. Dropped, it gave up: it was never run, and its wait is no sample.
#[derive(Debug)]
#[must_use = "dropping it gives the wait up"]
pub struct QueuedOperation {
    shard: Shard<OperationShard>,
    since: Instant,
}

/// An operation that runs inside its limit, until it ends or is dropped.
///
/// Dropped without [`end`](Self::end), it counts as `crashed` if a panic drops it, and as `cancelled` otherwise.
#[derive(Debug)]
#[must_use = "dropping it counts the operation as cancelled"]
pub struct RunningOperation {
    shard: Shard<OperationShard>,
    since: Instant,
    outcome: Option<OperationOutcome>,
    /// A panic that was under way before is not the operation's own.
    began_in_panic: bool,
}

impl QueuedOperation {
    pub(super) fn new(shard: Shard<OperationShard>) -> Self {
        shard.queued.enter();
        Self { shard, since: Instant::now() }
    }

    /// The wait is over: the operation runs from now on, and its wait is a sample of
    /// `gym.resources.operation.queue_duration_ms`.
    pub fn start(self) -> RunningOperation {
        let now = Instant::now();
        let shard = self.shard.here();
        shard.queue_duration.record_duration(now.saturating_duration_since(self.since));
        shard.active.enter();
        RunningOperation { shard, since: now, outcome: None, began_in_panic: thread::panicking() }
    }
}

impl RunningOperation {
    /// The operation ended in this way.
    pub fn end(mut self, outcome: OperationOutcome) {
        self.outcome = Some(outcome);
    }

    fn derived_outcome(&self) -> OperationOutcome {
        let panicked = thread::panicking() && !self.began_in_panic;
        if panicked { OperationOutcome::Crashed } else { OperationOutcome::Cancelled }
    }
}

impl Drop for QueuedOperation {
    fn drop(&mut self) {
        self.shard.queued.leave();
    }
}

impl Drop for RunningOperation {
    fn drop(&mut self) {
        let shard = self.shard.here();
        let outcome = self.outcome.unwrap_or_else(|| self.derived_outcome());
        shard.duration[outcome.index()].record_duration(self.since.elapsed());
        shard.active.leave();
    }
}
