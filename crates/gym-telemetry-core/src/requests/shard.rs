use std::sync::Arc;

use gym_telemetry_conventions::{RequestPhase, attributes::UNMATCHED_ROUTE};

use crate::{
    count::{Count, Level},
    table::Table,
};

/// The status codes that HTTP can carry in three digits.
pub(super) const STATUSES: std::ops::RangeInclusive<u16> = 100..=999;

/// What one thread counts of requests.
#[derive(Debug)]
pub(super) struct RequestShard {
    pub(super) in_flight: Level,
    /// Response heads by status, from the first of [`STATUSES`].
    pub(super) responses: Box<[Count]>,
    /// Handlers that ended without a head.
    pub(super) unhandled: Count,
    /// Bodies that failed after the head.
    pub(super) body_failed: Count,
    pub(super) routes: Arc<Routes>,
}

impl RequestShard {
    pub(super) fn new(routes: Arc<Routes>) -> Self {
        Self {
            in_flight: Level::default(),
            responses: STATUSES.map(|_| Count::default()).collect(),
            unhandled: Count::default(),
            body_failed: Count::default(),
            routes,
        }
    }

    #[inline]
    pub(super) fn respond(&self, status: u16) {
        let index = usize::from(status).wrapping_sub(usize::from(*STATUSES.start()));
        if let Some(count) = self.responses.get(index) {
            count.add(1);
        }
    }
}

/// Cancellations by route template. They are rare, so all threads share one count for each.
#[derive(Debug)]
pub(super) struct Routes {
    unmatched: Route,
    matched: Table<Route>,
}

#[derive(Debug)]
pub(super) struct Route {
    pub(super) template: Box<str>,
    cancelled: [Count; RequestPhase::ALL.len()],
}

impl Routes {
    pub(super) fn new(limit: usize) -> Self {
        Self { unmatched: Route::new(UNMATCHED_ROUTE), matched: Table::new(limit) }
    }

    /// Counts a cancellation; beyond the limit of routes it counts as unmatched.
    pub(super) fn cancel(&self, template: Option<&str>, phase: RequestPhase) {
        let find = |template: &str| {
            self.matched.get_or_insert(template, |route| *route.template == *template, || Route::new(template))
        };
        let route = template.and_then(find).unwrap_or(&self.unmatched);
        route.cancelled[phase.index()].add(1);
    }

    /// Every route that has ever been cancelled, with its count in each phase.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, RequestPhase, u64)> {
        let routes = std::iter::once(&self.unmatched).chain(self.matched.iter());
        routes.flat_map(|route| {
            let count = |phase: &RequestPhase| (&*route.template, *phase, route.cancelled[phase.index()].get());
            RequestPhase::ALL.iter().map(count).filter(|(_, _, count)| *count > 0)
        })
    }
}

impl Route {
    fn new(template: &str) -> Self {
        Self { template: template.into(), cancelled: Default::default() }
    }
}
