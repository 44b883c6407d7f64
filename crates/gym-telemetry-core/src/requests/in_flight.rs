use std::num::NonZeroU16;

use gym_telemetry_conventions::{RequestPhase, attributes::UNMATCHED_ROUTE};

use super::{Cancelled, recorder::Attached, routes::RouteIndex, shard::RequestShard};
use crate::{
    http_server::{BytesReceived, ErrorType, Followed, HttpRequest, HttpShard, Key},
    shard::Shard,
};

/// One request that is being handled: in flight until it is told how it ended.
///
/// The first call of [`finish`](Self::finish), [`cancel`](Self::cancel), [`fail`](Self::fail) or [`panic`](Self::panic)
/// ends it, and what comes later does nothing. Dropping it before counts a cancellation.
#[derive(Debug)]
#[must_use = "dropping it counts the request as cancelled"]
pub struct RequestInFlight<C = ()> {
    /// Where it counts. It stays when the request has ended: the next one here may count there too.
    shard: Option<Shard<Attached<C>>>,
    under_way: bool,
    followed: Option<Followed>,
    route: RouteIndex,
    status: Option<NonZeroU16>,
}

impl<C> RequestInFlight<C> {
    /// Begins to count for a recorder that has such a shard. What was here before ends as when it is dropped.
    #[inline]
    pub(super) fn begin(&mut self, recorder: Option<&Shard<Attached<C>>>) {
        if self.under_way {
            self.cancel();
        }
        self.route = RouteIndex::default();
        self.status = None;
        self.under_way = recorder.is_some();
        match recorder {
            Some(shard) => shard.here_in(&mut self.shard),
            None => self.shard = None,
        }
        if let Some(shard) = &self.shard {
            shard.counts.in_flight.enter();
        }
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

    /// The request belongs to the route that the recorder's context knows.
    #[inline]
    pub fn find_route(&mut self, find: impl FnOnce(&C) -> Option<&str>) {
        if let Some(shard) = &self.shard
            && let Some(template) = find(&shard.context)
        {
            self.route = shard.counts.routes.index(template);
        }
    }

    /// The template of the route that the request counts for.
    #[must_use]
    pub fn route(&self) -> &str {
        self.shard.as_ref().map_or(UNMATCHED_ROUTE, |shard| shard.counts.routes.template(self.route))
    }

    /// The HTTP conventions follow the request, if they are on. Without this call they do not see it.
    #[inline]
    pub fn follow(&mut self, request: impl FnOnce() -> HttpRequest) {
        self.followed = self.http().map(|shard| Followed::begin(shard, request()));
    }

    /// Whether the HTTP conventions follow the request. Then its route matters however it ends.
    #[must_use]
    #[inline]
    pub fn is_followed(&self) -> bool {
        self.followed.is_some()
    }

    /// What the bytes of the request's body are to be counted with, if the HTTP conventions follow the request.
    pub fn receive(&mut self) -> Option<BytesReceived> {
        let shard = self.shard.as_ref()?.counts.http.as_ref()?;
        Some(self.followed.as_mut()?.receive(shard))
    }

    /// The request has no body, for the HTTP conventions to know.
    #[inline]
    pub fn receive_nothing(&mut self) {
        if let Some(followed) = &mut self.followed {
            followed.receive_nothing();
        }
    }

    /// So many bytes of the response's body went out.
    #[inline]
    pub fn send(&mut self, bytes: u64) {
        if let Some(followed) = &mut self.followed {
            followed.send(bytes);
        }
    }

    /// Counts the response head in `gym.server.responses_total`. Only the first head of a request counts.
    #[inline]
    pub fn respond(&mut self, status: u16) {
        if let Some(shard) = self.shard.as_ref().filter(|_| self.under_way && self.status.is_none()) {
            shard.counts.respond(status);
            self.status = NonZeroU16::new(status);
        }
    }

    /// How far the request has come.
    #[must_use]
    pub fn phase(&self) -> RequestPhase {
        match self.status {
            Some(_) => RequestPhase::ResponseStarted,
            None => RequestPhase::BeforeResponseStart,
        }
    }

    /// Whether nothing that is still to come counts: the request has ended, or its recorder is disabled.
    #[must_use]
    #[inline]
    pub fn has_ended(&self) -> bool {
        !self.under_way
    }

    /// The response went out whole.
    #[inline]
    pub fn finish(&mut self) {
        self.end(ErrorType::Status, |_, _, _| ());
    }

    /// The client went away: counts in `gym.server.requests.cancelled_total`, by route template and phase.
    ///
    /// Returns what there is to say about it, unless the recorder is disabled.
    #[cold]
    pub fn cancel(&mut self) -> Option<Cancelled<C>> {
        let shard = self.shard.clone()?;
        let nth = self.end(ErrorType::Cancelled, RequestShard::cancel)?;
        Some(Cancelled::new(shard, self.route, self.phase(), nth))
    }

    /// The handler or, after the head, the body returned an error: counts in
    /// `gym.server.requests.unhandled_exceptions_total`.
    #[cold]
    pub fn fail(&mut self) {
        self.end(ErrorType::Other, RequestShard::fail);
    }

    /// The handler or, after the head, the body panicked: counts in
    /// `gym.server.requests.unhandled_exceptions_total`.
    #[cold]
    pub fn panic(&mut self) {
        self.end(ErrorType::Panic, RequestShard::fail);
    }

    /// Ends the request, unless it has ended.
    #[inline]
    fn end<R>(
        &mut self,
        error: ErrorType,
        count: impl FnOnce(&RequestShard, RouteIndex, RequestPhase) -> R,
    ) -> Option<R> {
        let shard = self.shard.as_ref().filter(|_| self.under_way)?;
        self.under_way = false;
        if let (Some(http), Some(followed)) = (&shard.counts.http, self.followed.take()) {
            let (status, route) = (self.status.map(NonZeroU16::get), self.route);
            let key = |request| Key { request, status, error, route };
            followed.end(http, key, shard.counts.routes.template(route));
        }
        let counted = count(&shard.counts, self.route, self.phase());
        shard.counts.in_flight.leave();
        Some(counted)
    }

    #[inline]
    fn http(&self) -> Option<&HttpShard> {
        self.shard.as_ref().filter(|_| self.under_way)?.counts.http.as_ref()
    }
}

impl<C> Default for RequestInFlight<C> {
    /// One that counts nothing.
    #[inline]
    fn default() -> Self {
        Self { shard: None, under_way: false, followed: None, route: RouteIndex::default(), status: None }
    }
}

impl<C> Drop for RequestInFlight<C> {
    #[inline]
    fn drop(&mut self) {
        if !self.has_ended() {
            self.cancel();
        }
    }
}
