use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

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

    pub(super) fn cancel(&self, route: RouteIndex, phase: RequestPhase) -> u64 {
        self.routes.cancel(route, phase)
    }
}

/// Cancellations by route template. They are rare, so all threads share one count for each.
#[derive(Debug)]
pub(super) struct Routes {
    unmatched: Route,
    matched: Table<Route>,
    cancelled: AtomicU64,
}

/// Which of the [`Routes`] a request belongs to; by default the unmatched one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RouteIndex(u32);

impl Default for RouteIndex {
    #[inline]
    fn default() -> Self {
        Self(u32::MAX)
    }
}

#[derive(Debug)]
pub(super) struct Route {
    pub(super) template: Box<str>,
    cancelled: [Count; RequestPhase::ALL.len()],
}

impl Routes {
    pub(super) fn new(limit: usize) -> Self {
        let cancelled = AtomicU64::new(0);
        Self { unmatched: Route::new(UNMATCHED_ROUTE), matched: Table::new(limit), cancelled }
    }

    /// Where a template is counted; beyond the limit of routes, among the unmatched.
    pub(super) fn index(&self, template: &str) -> RouteIndex {
        let is = |route: &Route| *route.template == *template;
        let index = self.matched.index_or_insert(template, is, || Route::new(template));
        index.and_then(|index| u32::try_from(index).ok()).map_or_else(RouteIndex::default, RouteIndex)
    }

    /// The template at an index.
    pub(super) fn template(&self, index: RouteIndex) -> &str {
        &self.get(index).template
    }

    /// Counts a cancellation, and tells how many there have been on all routes.
    pub(super) fn cancel(&self, index: RouteIndex, phase: RequestPhase) -> u64 {
        self.get(index).cancelled[phase.index()].add(1);
        self.cancelled.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Every route that has ever been cancelled, with its count in each phase.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, RequestPhase, u64)> {
        let routes = std::iter::once(&self.unmatched).chain(self.matched.iter());
        routes.flat_map(|route| {
            let count = |phase: &RequestPhase| (&*route.template, *phase, route.cancelled[phase.index()].get());
            RequestPhase::ALL.iter().map(count).filter(|(_, _, count)| *count > 0)
        })
    }

    fn get(&self, index: RouteIndex) -> &Route {
        self.matched.get(index.0 as usize).unwrap_or(&self.unmatched)
    }
}

impl Route {
    fn new(template: &str) -> Self {
        Self { template: template.into(), cancelled: Default::default() }
    }
}
