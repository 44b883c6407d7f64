use gym_telemetry_conventions::RequestPhase;

use super::{recorder::Attached, routes::RouteIndex};
use crate::shard::Shard;

/// A request whose client went away.
#[derive(Debug)]
pub struct Cancelled<C = ()> {
    shard: Shard<Attached<C>>,
    route: RouteIndex,
    phase: RequestPhase,
    nth: u64,
}

impl<C> Cancelled<C> {
    pub(super) fn new(shard: Shard<Attached<C>>, route: RouteIndex, phase: RequestPhase, nth: u64) -> Self {
        Self { shard, route, phase, nth }
    }

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
