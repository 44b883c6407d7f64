use std::sync::Arc;

use gym_telemetry_conventions::RequestPhase;

use super::routes::{RouteIndex, Routes};
use crate::{
    count::{Count, Level},
    http_server::HttpShard,
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
    /// If the HTTP conventions are on.
    pub(super) http: Option<HttpShard>,
}

impl RequestShard {
    pub(super) fn new(routes: Arc<Routes>, http: Option<HttpShard>) -> Self {
        Self {
            in_flight: Level::default(),
            responses: STATUSES.map(|_| Count::default()).collect(),
            unhandled: Count::default(),
            body_failed: Count::default(),
            routes,
            http,
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

    pub(super) fn fail(&self, _: RouteIndex, phase: RequestPhase) {
        match phase {
            RequestPhase::ResponseStarted => self.body_failed.add(1),
            _ => self.unhandled.add(1),
        }
    }
}
