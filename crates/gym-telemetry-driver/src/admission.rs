use std::{sync::Arc, time::Instant};

use gym_telemetry_core::{Active, DriverMetrics};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A driver's concurrency limit, fair to those who wait: first come, first admitted.
///
/// Cloning it shares the limit.
#[derive(Debug, Clone)]
pub struct Admission {
    limit: Arc<Semaphore>,
    metrics: DriverMetrics,
}

/// The right to run one rollout. It counts as active until it is dropped, and only then is the next admitted.
#[derive(Debug)]
#[must_use = "dropping it ends the run"]
pub struct Permit {
    // Dropped in this order: one who is admitted next never sees more active than the limit.
    _active: Active,
    _permit: OwnedSemaphorePermit,
}

/// The limit was closed: nobody is admitted any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the driver admits no more rollouts")]
#[non_exhaustive]
pub struct AdmissionClosed;

impl Admission {
    /// A limit of `limit` rollouts at a time, at least one.
    #[must_use]
    pub fn new(limit: usize, metrics: DriverMetrics) -> Self {
        let limit = limit.clamp(1, Semaphore::MAX_PERMITS);
        Self { limit: Arc::new(Semaphore::new(limit)), metrics }
    }

    /// Waits for a place. The wait, even of no length, is one sample of `gym.driver.admission_duration_ms`.
    ///
    /// # Errors
    ///
    /// [`AdmissionClosed`] once the limit was closed.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives up the place in the queue, records nothing and loses no permit.
    pub async fn admit(&self) -> Result<Permit, AdmissionClosed> {
        let since = Instant::now();
        let permit = Arc::clone(&self.limit).acquire_owned().await.map_err(|_| AdmissionClosed)?;
        Ok(Permit { _active: self.metrics.admitted(since.elapsed()), _permit: permit })
    }

    /// Admits nobody any more; who runs goes on, who waits gets an error.
    pub fn close(&self) {
        self.limit.close();
    }
}

#[cfg(test)]
mod tests {
    use opentelemetry::metrics::MeterProvider as _;
    use opentelemetry_sdk::metrics::SdkMeterProvider;

    use super::*;

    fn admission(limit: usize) -> (Admission, DriverMetrics) {
        let metrics = DriverMetrics::new(&SdkMeterProvider::builder().build().meter("test"));
        (Admission::new(limit, metrics.clone()), metrics)
    }

    #[tokio::test]
    async fn a_cancelled_wait_loses_no_permit() {
        let (admission, metrics) = admission(1);
        let running = admission.admit().await.unwrap();
        let waiting = tokio::spawn({
            let admission = admission.clone();
            async move { admission.admit().await }
        });
        tokio::task::yield_now().await;
        waiting.abort();
        assert!(waiting.await.unwrap_err().is_cancelled());
        drop(running);
        let next = admission.admit().await.unwrap();
        assert_eq!(metrics.snapshot().active, 1);
        drop(next);
        assert_eq!(metrics.snapshot().active, 0);
    }

    #[tokio::test]
    async fn closing_lets_the_running_go_on_and_refuses_the_rest() {
        let (admission, metrics) = admission(1);
        let running = admission.admit().await.unwrap();
        admission.close();
        assert_eq!(admission.admit().await.unwrap_err(), AdmissionClosed);
        assert_eq!(metrics.snapshot().active, 1);
        drop(running);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn no_more_than_the_limit_are_active() {
        let (admission, metrics) = admission(3);
        let tasks: Vec<_> = (0..200)
            .map(|_| {
                let (admission, metrics) = (admission.clone(), metrics.clone());
                tokio::spawn(async move {
                    let permit = admission.admit().await.unwrap();
                    assert!(metrics.snapshot().active <= 3);
                    tokio::task::yield_now().await;
                    drop(permit);
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(metrics.snapshot().active, 0);
    }
}
