use gym_telemetry_conventions::{RequestPhase, attributes::UNMATCHED_ROUTE};

use super::{
    recorder::Attached,
    shard::{RequestShard, RouteIndex},
};
use crate::shard::Shard;

/// One request that is being handled: in flight until it is told how it ended.
///
/// The first call of [`finish`](Self::finish), [`cancel`](Self::cancel) or [`fail`](Self::fail) ends it, and what comes
/// later does nothing. Dropping it before counts a cancellation.
#[derive(Debug)]
#[must_use = "dropping it counts the request as cancelled"]
pub struct RequestInFlight<C = ()> {
    shard: Option<Shard<Attached<C>>>,
    route: RouteIndex,
    responded: bool,
}

/// A request whose client went away.
#[derive(Debug)]
pub struct Cancelled<C = ()> {
    shard: Shard<Attached<C>>,
    route: RouteIndex,
    phase: RequestPhase,
    nth: u64,
}

impl<C> RequestInFlight<C> {
    #[inline]
    pub(super) fn new(shard: Option<Shard<Attached<C>>>) -> Self {
        if let Some(shard) = &shard {
            shard.counts.in_flight.enter();
        }
        Self { shard, route: RouteIndex::default(), responded: false }
    }

    /// What the recorder carries for its layer; nothing when it is disabled.
    #[must_use]
    pub fn context(&self) -> Option<&C> {
        self.shard.as_ref().map(|shard| &shard.context)
    }

    /// The request belongs to a route. Without this call it counts as `<unmatched>`.
    ///
    /// `template` is a registered template such as `/items/{id}`, never a raw path.
    #[inline]
    pub fn set_route(&mut self, template: &str) {
        if let Some(shard) = &self.shard {
            self.route = shard.counts.routes.index(template);
        }
    }

    /// The template of the route that the request counts for.
    #[must_use]
    pub fn route(&self) -> &str {
        self.shard.as_ref().map_or(UNMATCHED_ROUTE, |shard| shard.counts.routes.template(self.route))
    }

    /// Counts the response head in `gym.server.responses_total`. Only the first head of a request counts.
    #[inline]
    pub fn respond(&mut self, status: u16) {
        if let Some(shard) = self.shard.as_ref().filter(|_| !self.responded) {
            shard.counts.respond(status);
        }
        self.responded = true;
    }

    /// How far the request has come.
    #[must_use]
    pub fn phase(&self) -> RequestPhase {
        if self.responded { RequestPhase::ResponseStarted } else { RequestPhase::BeforeResponseStart }
    }

    /// Whether nothing that is still to come counts: the request has ended, or its recorder is disabled.
    #[must_use]
    #[inline]
    pub fn has_ended(&self) -> bool {
        self.shard.is_none()
    }

    /// The response went out whole.
    #[inline]
    pub fn finish(&mut self) {
        self.end(|_, _, _| ());
    }

    /// The client went away: counts in `gym.server.requests.cancelled_total`, by route template and phase.
    ///
    /// Returns what there is to say about it, unless the recorder is disabled.
    pub fn cancel(&mut self) -> Option<Cancelled<C>> {
        let shard = self.shard.clone()?;
        let nth = self.end(RequestShard::cancel)?;
        Some(Cancelled { shard, route: self.route, phase: self.phase(), nth })
    }

    /// The handler or, after the head, the body panicked or returned an error: counts in
    /// `gym.server.requests.unhandled_exceptions_total`.
    pub fn fail(&mut self) {
        self.end(|counts, _, phase| match phase {
            RequestPhase::ResponseStarted => counts.body_failed.add(1),
            _ => counts.unhandled.add(1),
        });
    }

    /// Ends the request, unless it has ended.
    #[inline]
    fn end<R>(&mut self, count: impl FnOnce(&RequestShard, RouteIndex, RequestPhase) -> R) -> Option<R> {
        let shard = self.shard.take()?;
        let counted = count(&shard.counts, self.route, self.phase());
        shard.counts.in_flight.leave();
        Some(counted)
    }
}

impl<C> Cancelled<C> {
    /// The template of the route that it counted for, or `<unmatched>`.
    #[must_use]
    pub fn route(&self) -> &str {
        self.shard.counts.routes.template(self.route)
    }

    /// How far the request had come.
    #[must_use]
    pub fn phase(&self) -> RequestPhase {
        self.phase
    }

    /// Which cancellation it was, counted from 1 over all routes.
    #[must_use]
    pub fn nth(&self) -> u64 {
        self.nth
    }

    /// What the recorder carries for its layer.
    #[must_use]
    pub fn context(&self) -> &C {
        &self.shard.context
    }
}

impl<C> Default for RequestInFlight<C> {
    /// One that counts nothing.
    #[inline]
    fn default() -> Self {
        Self { shard: None, route: RouteIndex::default(), responded: false }
    }
}

impl<C> Drop for RequestInFlight<C> {
    #[inline]
    fn drop(&mut self) {
        self.end(RequestShard::cancel);
    }
}
