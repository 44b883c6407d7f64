use std::time::Duration;

use super::shard::DriverShard;
use crate::shard::Shard;

/// A rollout that exists and has not finished, whether it waits or runs. Dropping it ends it, however it ended.
#[derive(Debug)]
#[must_use = "dropping it ends the rollout"]
pub struct Resident {
    shard: Shard<DriverShard>,
}

/// A rollout that was admitted and runs. Dropping it ends the run, not the rollout.
#[derive(Debug)]
#[must_use = "dropping it ends the run"]
pub struct Active {
    shard: Shard<DriverShard>,
}

impl Resident {
    #[inline]
    pub(super) fn new(shard: Shard<DriverShard>) -> Self {
        shard.resident.enter();
        Self { shard }
    }
}

impl Active {
    #[inline]
    pub(super) fn new(shard: Shard<DriverShard>, waited: Duration) -> Self {
        shard.admission.record_duration(waited);
        shard.active.enter();
        Self { shard }
    }
}

impl Drop for Resident {
    #[inline]
    fn drop(&mut self) {
        self.shard.resident.leave();
    }
}

impl Drop for Active {
    #[inline]
    fn drop(&mut self) {
        self.shard.active.leave();
    }
}
