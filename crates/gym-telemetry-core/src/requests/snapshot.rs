use std::collections::BTreeMap;

use gym_telemetry_conventions::RequestPhase;

use super::{
    routes::Routes,
    shard::{RequestShard, STATUSES},
};
use crate::{count::Level, shard::Sharded};

/// Everything that a [`RequestMetrics`](super::RequestMetrics) has counted, at one moment.
///
/// At any moment, and exactly when nothing is in flight:
///
/// ```text
/// received  = responses + cancelled before the head + unhandled + still before the head
/// in flight = received - ended
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequestSnapshot {
    /// Requests that came in.
    pub received: u64,
    /// Requests that have not ended.
    pub in_flight: u64,
    /// Response heads by status code.
    pub responses: BTreeMap<u16, u64>,
    /// Requests whose client went away, by route and phase.
    pub cancelled: Vec<Cancellations>,
    /// Requests that ended in a panic or an error before a response head.
    pub unhandled: u64,
    /// Requests whose body panicked or failed after the head. They count among the responses too.
    pub body_failed: u64,
}

/// How often requests of one route were cancelled in one phase.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Cancellations {
    /// The route's template, or `<unmatched>`.
    pub route: String,
    /// How far the requests had come.
    pub phase: RequestPhase,
    /// How many they were.
    pub count: u64,
}

impl RequestSnapshot {
    /// Reads effects before causes: ends, then heads, then arrivals. So no part is ever larger than its whole.
    pub(super) fn read(shards: &Sharded<RequestShard>, routes: &Routes) -> Self {
        let cancelled = routes.iter();
        let mut cancelled: Vec<_> =
            cancelled.map(|(route, phase, count)| Cancellations { route: route.to_owned(), phase, count }).collect();
        cancelled.sort();
        let body_failed = shards.sum(|shard| shard.body_failed.get());
        let unhandled = shards.sum(|shard| shard.unhandled.get());
        let responses = responses(shards).collect();
        let (received, in_flight) = Level::read(shards, |shard| &shard.in_flight);
        Self { received, in_flight, responses, cancelled, unhandled, body_failed }
    }

    /// Response heads of any status.
    #[must_use]
    pub fn responses_total(&self) -> u64 {
        self.responses.values().sum()
    }

    /// Cancellations of any route in one phase.
    #[must_use]
    pub fn cancelled_in(&self, phase: RequestPhase) -> u64 {
        self.cancelled.iter().filter(|entry| entry.phase == phase).map(|entry| entry.count).sum()
    }
}

/// Response heads by status code, without those that never occurred.
pub(super) fn responses(shards: &Sharded<RequestShard>) -> impl Iterator<Item = (u16, u64)> {
    let count = |(index, status): (usize, u16)| (status, shards.sum(|shard| shard.responses[index].get()));
    STATUSES.enumerate().map(count).filter(|(_, count)| *count > 0)
}
