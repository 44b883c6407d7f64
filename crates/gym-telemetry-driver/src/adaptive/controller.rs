use std::{
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use super::{AdaptiveLimit, round::Round};

/// Decides on the limit from what completed under it.
#[derive(Debug)]
pub(crate) struct Controller {
    settings: AdaptiveLimit,
    state: Mutex<State>,
}

/// A rollout under way, as the controller sees it.
#[derive(Debug)]
pub(crate) struct Run {
    since: Instant,
    epoch: u64,
}

#[derive(Debug)]
struct State {
    limit: usize,
    /// How often the limit has changed: who was admitted before the last change tells nothing of the present limit.
    epoch: u64,
    round: Round,
    /// The latency of the fastest round in seconds, which is forgotten little by little.
    fastest: f64,
}

/// The fewest rollouts that make a round.
const SHORTEST_ROUND: usize = 10;

/// By which part the fastest latency grows while the limit goes through all its values: what rollouts are about may
/// change, and then the past is no measure.
const FORGETTING: f64 = 0.05;

impl Controller {
    pub(crate) fn new(settings: AdaptiveLimit, limit: usize) -> Self {
        let limit = settings.clamp(limit);
        let state = State { limit, epoch: 0, round: Round::default(), fastest: f64::INFINITY };
        Self { settings, state: Mutex::new(state) }
    }

    pub(crate) fn limit(&self) -> usize {
        self.state().limit
    }

    /// A rollout was admitted.
    pub(crate) fn begin(&self) -> Run {
        Run { since: Instant::now(), epoch: self.state().epoch }
    }

    /// A rollout completed. `saturated` says whether anybody waits; `resize` is told the limit, if it is to change.
    pub(crate) fn end(&self, run: &Run, succeeded: bool, saturated: bool, resize: impl FnOnce(usize)) {
        let latency = succeeded.then(|| run.since.elapsed());
        let mut state = self.state();
        // Within the lock, so that of two changes the later one is the last to be made.
        if run.epoch == state.epoch && state.observe(latency, saturated, &self.settings) {
            resize(state.limit);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Counts one completed rollout, without a latency if it failed, and tells whether the limit changed.
    fn observe(&mut self, latency: Option<Duration>, saturated: bool, settings: &AdaptiveLimit) -> bool {
        self.round.saturated |= saturated;
        match latency {
            Some(latency) => self.round.succeeded(latency),
            None => self.round.failed(),
        }
        if (self.round.completed() as usize) < self.limit.max(SHORTEST_ROUND) {
            return false;
        }
        let round = mem::take(&mut self.round);
        let next = settings.clamp(self.next(&round, settings));
        let changed = mem::replace(&mut self.limit, next) != next;
        self.epoch += u64::from(changed);
        changed
    }

    /// The limit after a round.
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a limit")]
    fn next(&mut self, round: &Round, settings: &AdaptiveLimit) -> usize {
        let latency = round.latency();
        let slow = latency.is_some_and(|latency| latency.least > settings.latency_tolerance * self.fastest);
        if let Some(latency) = latency {
            self.fastest = latency.most.min(self.fastest * (1.0 + FORGETTING / self.limit as f64));
        }
        if slow || round.failures() > settings.failure_tolerance {
            ((self.limit as f64 * settings.factor) as usize).min(self.limit - 1)
        } else if round.saturated {
            self.limit.saturating_add(settings.step)
        } else {
            self.limit
        }
    }
}
