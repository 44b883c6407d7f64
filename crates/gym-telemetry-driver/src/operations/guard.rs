use std::time::Duration;

use gym_telemetry_conventions::{Executor, Operation, OperationOutcome};
use gym_telemetry_core::{OperationMetrics, RunningOperation};
use tokio::time::{error::Elapsed, timeout};

use super::Limit;

/// An operation inside its limit. Its place is free again once it ended or was dropped.
///
/// Dropped without an outcome, it counts as `crashed` if a panic drops it, and as `cancelled` otherwise.
#[derive(Debug)]
#[must_use = "dropping it counts the operation as cancelled"]
pub struct LimitedOperation<P> {
    // Dropped in this order: who is admitted next never sees more active than the limit.
    running: RunningOperation,
    permit: P,
}

/// Waits for a place inside `limit`, and hands out the operation that takes it.
///
/// The wait is a sample of `gym.resources.operation.queue_duration_ms`, what follows one of
/// `gym.resources.operation.duration_ms` by outcome.
///
/// # Errors
///
/// What the limit says when it has no place and never will; nothing has run then.
///
/// # Cancel safety
///
/// Dropping the future gives up the wait: the operation is no longer queued, and neither its wait nor its run is a
/// sample.
///
/// # Example
///
/// ```
/// use gym_telemetry_conventions::{Executor, Operation};
/// use gym_telemetry_core::OperationMetrics;
/// use gym_telemetry_driver::operation;
/// use tokio::sync::Semaphore;
/// # use opentelemetry::metrics::MeterProvider as _;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
/// let operations = OperationMetrics::new(&meter);
/// let verifiers = Semaphore::new(4);
///
/// let verify = operation(&operations, &verifiers, Operation::Verify, Executor::Subprocess).await?;
/// let reward = verify.run(async { "0.5".parse::<f64>() }).await?; // `ok` or `error`, as the result is
/// # assert_eq!(reward, 0.5);
/// # Ok(())
/// # }
/// ```
pub async fn operation<'a, L: Limit>(
    metrics: &OperationMetrics,
    limit: &'a L,
    operation: Operation,
    executor: Executor,
) -> Result<LimitedOperation<L::Permit<'a>>, L::Error> {
    let queued = metrics.queue(operation, executor);
    let permit = limit.acquire().await?;
    Ok(LimitedOperation { running: queued.start(), permit })
}

impl<P> LimitedOperation<P> {
    /// Does the work, and ends as its result is: `ok` or `error`.
    pub async fn run<T, E>(self, work: impl Future<Output = Result<T, E>>) -> Result<T, E> {
        let result = work.await;
        self.end(outcome_of(&result));
        result
    }

    /// The same within a time, after which the work is dropped and the operation ends as `timeout`.
    ///
    /// # Errors
    ///
    /// [`Elapsed`] if the time ran out; the work's own error is the inner one.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime with time enabled.
    pub async fn run_within<T, E>(
        self,
        limit: Duration,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<Result<T, E>, Elapsed> {
        let result = timeout(limit, work).await;
        self.end(result.as_ref().map_or(OperationOutcome::Timeout, outcome_of));
        result
    }

    /// The operation ended in this way.
    pub fn end(self, outcome: OperationOutcome) {
        self.running.end(outcome);
    }

    /// The place that it holds.
    #[must_use]
    pub fn permit(&self) -> &P {
        &self.permit
    }
}

fn outcome_of<T, E>(result: &Result<T, E>) -> OperationOutcome {
    if result.is_ok() { OperationOutcome::Ok } else { OperationOutcome::Error }
}
