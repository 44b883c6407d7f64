use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use gym_telemetry_core::{Active, DriverMetrics, LimitState};

use super::AdmissionError;
use crate::{
    AdaptiveLimit, MeteredPermit, MeteredSemaphore,
    adaptive::{Controller, Run},
};

/// A driver's concurrency limit, fair to those who wait: first come, first admitted.
///
/// It bounds the rollouts that run, not those that exist. Cloning it shares the limit.
#[derive(Debug, Clone)]
pub struct Admission {
    limit: MeteredSemaphore,
    metrics: DriverMetrics,
    controller: Option<Arc<Controller>>,
}

/// The right to run one rollout. It counts as active until it is dropped, and only then is the next admitted.
///
/// An [adaptive](Admission::adaptive) limit learns from those that end by [`succeed`](Self::succeed) or
/// [`fail`](Self::fail); any other is the same whichever way a permit ends.
#[derive(Debug)]
#[must_use = "dropping it ends the run"]
pub struct Permit {
    // Dropped in this order: one who is admitted next never sees more active than the limit.
    _active: Active,
    permit: MeteredPermit,
    adaptive: Option<(Run, Arc<Controller>)>,
}

impl Admission {
    /// A limit of `limit` rollouts at a time, at least one.
    #[must_use]
    pub fn new(limit: usize, metrics: DriverMetrics) -> Self {
        Self::with_limit(MeteredSemaphore::unmetered(limit), metrics)
    }

    /// The same over a limit that reports itself, has a timeout, or is shared with others.
    #[must_use]
    pub fn with_limit(limit: MeteredSemaphore, metrics: DriverMetrics) -> Self {
        Self { limit, metrics, controller: None }
    }

    /// With a limit that changes by itself, from the present one on.
    #[must_use]
    pub fn adaptive(mut self, settings: AdaptiveLimit) -> Self {
        let slots = usize::try_from(self.limit.state().slots).unwrap_or(usize::MAX);
        let controller = Controller::new(settings, slots);
        self.limit.resize(controller.limit());
        self.controller = Some(Arc::new(controller));
        self
    }

    /// Waits for a place. The wait, even of no length, is one sample of `gym.driver.admission_duration_ms`.
    ///
    /// # Errors
    ///
    /// [`AdmissionError::Closed`] once the limit was closed; [`AdmissionError::TimedOut`] where it has a timeout.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives up the place in the queue, records nothing and loses no permit.
    pub async fn admit(&self) -> Result<Permit, AdmissionError> {
        if let Some(permit) = self.limit.try_acquire()? {
            return Ok(self.admitted(permit, Duration::ZERO));
        }
        let since = Instant::now();
        let permit = self.limit.acquire().await?;
        Ok(self.admitted(permit, since.elapsed()))
    }

    /// Changes the limit, to at least one.
    ///
    /// A higher one admits at once; with a lower one, who runs goes on, and nobody is admitted until fewer run. An
    /// adaptive limit goes on from its own value.
    pub fn resize(&self, limit: usize) {
        self.limit.resize(limit);
    }

    /// The limit, and how many run inside it and wait for it.
    #[must_use]
    pub fn state(&self) -> LimitState {
        self.limit.state()
    }

    /// Admits nobody any more; who runs goes on, who waits gets an error.
    pub fn close(&self) {
        self.limit.close();
    }

    #[inline]
    fn admitted(&self, permit: MeteredPermit, waited: Duration) -> Permit {
        let adaptive = self.controller.as_ref().map(|controller| (controller.begin(), Arc::clone(controller)));
        Permit { _active: self.metrics.admitted(waited), permit, adaptive }
    }
}

impl Permit {
    /// The rollout completed, and counts for an adaptive limit by the time it took.
    pub fn succeed(self) {
        self.end(true);
    }

    /// The rollout failed, and counts for an adaptive limit as a failure.
    pub fn fail(self) {
        self.end(false);
    }

    fn end(self, succeeded: bool) {
        if let Some((run, controller)) = &self.adaptive {
            let limit = self.permit.semaphore();
            controller.end(run, succeeded, limit.state().waiting > 0, |slots| limit.resize(slots));
        }
    }
}
