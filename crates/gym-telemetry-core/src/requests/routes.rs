use std::sync::atomic::{AtomicU64, Ordering};

use gym_telemetry_conventions::{RequestPhase, attributes::UNMATCHED_ROUTE};

use crate::{count::Count, table::Table};

/// Cancellations by route template. They are rare, so all threads share one count for each.
#[derive(Debug)]
pub(super) struct Routes {
    unmatched: Route,
    matched: Table<Route>,
    cancelled: AtomicU64,
}

#[derive(Debug)]
struct Route {
    template: Box<str>,
    cancelled: [Count; RequestPhase::ALL.len()],
}

/// Which of the [`Routes`] a request belongs to; by default the unmatched one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RouteIndex(u32);

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

impl RouteIndex {
    const UNMATCHED: Self = Self(u32::MAX);

    pub(crate) fn is_matched(self) -> bool {
        self != Self::UNMATCHED
    }
}

impl Default for RouteIndex {
    #[inline]
    fn default() -> Self {
        Self::UNMATCHED
    }
}
