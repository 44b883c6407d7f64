use std::{sync::Arc, time::Duration};

use gym_telemetry_core::{LimitRecorder, LimitState};

use super::{AcquireError, MeteredPermit, shared::Shared, wait::Wait};
use crate::Limit;

/// A semaphore, fair to those who wait, whose number of slots may change while it is in use, and which reports itself
/// as `gym.concurrency.*`.
///
/// Cloning it shares the slots; each handle has a timeout of its own.
///
/// # Example
///
/// ```
/// use gym_telemetry_core::{ConcurrencyMetrics, LimitName};
/// use gym_telemetry_driver::MeteredSemaphore;
/// # use opentelemetry::metrics::MeterProvider as _;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
/// let concurrency = ConcurrencyMetrics::new(&meter);
/// let limit = MeteredSemaphore::new(2, concurrency.limit(LimitName::new("verifier", "subprocesses")));
///
/// let permit = limit.acquire().await?;
/// limit.resize(1); // shown at once; whoever holds slots keeps them
/// assert!(limit.try_acquire()?.is_none());
/// drop(permit);
/// assert!(limit.try_acquire()?.is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct MeteredSemaphore {
    shared: Arc<Shared>,
    timeout: Option<Duration>,
}

impl MeteredSemaphore {
    /// A semaphore with this many slots, at least one.
    #[must_use]
    pub fn new(slots: usize, recorder: LimitRecorder) -> Self {
        Self::of(Shared::new(slots.max(1), Some(recorder)))
    }

    /// The same, reporting nothing.
    #[must_use]
    pub fn unmetered(slots: usize) -> Self {
        Self::of(Shared::new(slots.max(1), None))
    }

    pub(super) fn of(shared: Arc<Shared>) -> Self {
        Self { shared, timeout: None }
    }

    /// With an end to the waits of this handle and its clones to come.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        if let Some(recorder) = &self.shared.recorder {
            recorder.expect_timeouts();
        }
        self.timeout = Some(timeout);
        self
    }

    /// Waits for one slot.
    ///
    /// # Errors
    ///
    /// As [`acquire_many`](Self::acquire_many).
    ///
    /// # Cancel safety
    ///
    /// As [`acquire_many`](Self::acquire_many).
    pub async fn acquire(&self) -> Result<MeteredPermit, AcquireError> {
        self.acquire_many(1).await
    }

    /// Waits for several slots at once. Whoever came before is served before.
    ///
    /// # Errors
    ///
    /// [`AcquireError::TooMany`] at once, or as soon as the semaphore shrinks below what was asked for;
    /// [`AcquireError::Closed`] once it is closed; [`AcquireError::TimedOut`] where there is a timeout.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives up the place in the queue and loses no slot.
    ///
    /// # Panics
    ///
    /// With a timeout, outside of a tokio runtime with time enabled.
    pub async fn acquire_many(&self, slots: usize) -> Result<MeteredPermit, AcquireError> {
        if let Some(permit) = self.shared.try_take(slots)? {
            return Ok(permit);
        }
        let wait = Wait::new(&self.shared, slots)?;
        match self.timeout {
            // A timer is large, and most futures would carry it for nothing.
            Some(timeout) => Box::pin(wait.within(timeout)).await,
            None => wait.await,
        }
    }

    /// One slot, if it is free and nobody waits.
    ///
    /// # Errors
    ///
    /// [`AcquireError::Closed`] once the semaphore is closed.
    #[inline]
    pub fn try_acquire(&self) -> Result<Option<MeteredPermit>, AcquireError> {
        self.shared.try_take(1)
    }

    /// Changes the number of slots, to at least one.
    ///
    /// More of them wake those who wait. With fewer, held slots stay held, and nobody is served until less are held
    /// than there are.
    pub fn resize(&self, slots: usize) {
        self.shared.update(|state| state.resize(slots.max(1)));
    }

    /// Serves nobody any more: who waits and who comes gets an error, who holds slots keeps them.
    pub fn close(&self) {
        self.shared.update(|state| state.close());
    }

    /// Its slots and who holds or awaits them, at one moment.
    #[must_use]
    pub fn state(&self) -> LimitState {
        self.shared.read(|state| state.read())
    }
}

impl Limit for MeteredSemaphore {
    type Permit<'a> = MeteredPermit;
    type Error = AcquireError;

    fn acquire(&self) -> impl Future<Output = Result<MeteredPermit, AcquireError>> + Send {
        self.acquire()
    }
}
