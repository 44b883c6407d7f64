use std::sync::{Arc, Mutex, PoisonError};

use gym_telemetry_conventions::metrics;

use super::shard::DriverShard;
use crate::{
    count::{Level, settled},
    report::{Report, signed},
    shard::Sharded,
};

/// What a [`DriverMetrics`](super::DriverMetrics) has counted so far. No more run than exist, at any moment.
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

impl DriverSnapshot {
    /// Reads the last thing that a rollout does first, and so on back to its offer: what is seen of any rollout is then
    /// a beginning of what it did, and nobody is seen to run who does not exist.
    pub(super) fn read(shards: &Sharded<DriverShard>) -> Self {
        let [finished, ran, admitted, offered] = settled(|| {
            [
                Level::left(shards, |shard| &shard.resident),
                Level::left(shards, |shard| &shard.active),
                Level::entered(shards, |shard| &shard.active),
                Level::entered(shards, |shard| &shard.resident),
            ]
        });
        Self { offered, resident: offered.saturating_sub(finished), active: admitted.saturating_sub(ran) }
    }

    /// Rollouts that wait for admission.
    #[must_use]
    pub fn waiting(&self) -> u64 {
        self.resident.saturating_sub(self.active)
    }
}

/// Reports the totals as they are at the start of each collection: read one by one, they would be of several moments.
pub(super) fn report_totals(report: &Report<'_, Sharded<DriverShard>>) {
    let latest = Arc::new(Mutex::new(DriverSnapshot::default()));
    let seen = Arc::clone(&latest);
    report.on_collection(move |shards| {
        *seen.lock().unwrap_or_else(PoisonError::into_inner) = DriverSnapshot::read(shards);
    });
    let seen = Arc::clone(&latest);
    let seen = move || Some(*seen.lock().unwrap_or_else(PoisonError::into_inner)).filter(|seen| seen.offered > 0);
    report.counter(&metrics::DRIVER_ROLLOUTS_OFFERED_TOTAL, {
        let seen = seen.clone();
        move |_, observer| seen().into_iter().for_each(|seen| observer.observe(seen.offered, &[]))
    });
    report.up_down_counter(&metrics::DRIVER_ROLLOUTS_RESIDENT, {
        let seen = seen.clone();
        move |_, observer| seen().into_iter().for_each(|seen| observer.observe(signed(seen.resident), &[]))
    });
    report.up_down_counter(&metrics::DRIVER_ROLLOUTS_ACTIVE, move |_, observer| {
        seen().into_iter().for_each(|seen| observer.observe(signed(seen.active), &[]));
    });
}
