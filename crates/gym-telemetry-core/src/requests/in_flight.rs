use gym_telemetry_conventions::RequestPhase;

use super::shard::RequestShard;
use crate::shard::Shard;

/// One request that is being handled: in flight until it is told how it ended.
///
/// Exactly one of [`finish`](Self::finish), [`cancel`](Self::cancel) and [`fail`](Self::fail) ends it; dropping it
/// counts a cancellation of an unmatched route.
#[derive(Debug)]
#[must_use = "dropping it counts the request as cancelled"]
pub struct RequestInFlight {
    shard: Option<Shard<RequestShard>>,
    responded: bool,
}

impl RequestInFlight {
    pub(super) fn new(shard: Option<Shard<RequestShard>>) -> Self {
        if let Some(shard) = &shard {
            shard.in_flight.enter();
        }
        Self { shard, responded: false }
    }

    /// Counts the response head in `gym.server.responses_total`. Only the first head of a request counts.
    #[inline]
    pub fn respond(&mut self, status: u16) {
        if let Some(shard) = self.shard.as_ref().filter(|_| !self.responded) {
            shard.respond(status);
        }
        self.responded = true;
    }

    /// How far the request has come.
    #[must_use]
    pub fn phase(&self) -> RequestPhase {
        if self.responded { RequestPhase::ResponseStarted } else { RequestPhase::BeforeResponseStart }
    }

    /// The response went out whole.
    #[inline]
    pub fn finish(mut self) {
        self.end(|_, _| ());
    }

    /// The client went away: counts in `gym.server.requests.cancelled_total`, by route template and phase.
    ///
    /// `route` is a registered template, never a raw path; `None` counts as `<unmatched>`.
    pub fn cancel(mut self, route: Option<&str>) {
        self.end(|shard, phase| shard.routes.cancel(route, phase));
    }

    /// The handler or, after the head, the body panicked or returned an error: counts in
    /// `gym.server.requests.unhandled_exceptions_total`.
    pub fn fail(mut self) {
        self.end(|shard, phase| match phase {
            RequestPhase::ResponseStarted => shard.body_failed.add(1),
            _ => shard.unhandled.add(1),
        });
    }

    #[inline]
    fn end(&mut self, count: impl FnOnce(&RequestShard, RequestPhase)) {
        if let Some(shard) = self.shard.take() {
            count(&shard, self.phase());
            shard.in_flight.leave();
        }
    }
}

impl Drop for RequestInFlight {
    fn drop(&mut self) {
        self.end(|shard, phase| shard.routes.cancel(None, phase));
    }
}
