use std::time::Duration;

use crate::AcquireError;

/// Why a rollout was not admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AdmissionError {
    /// The limit was closed: nobody is admitted any more.
    #[error("the driver admits no more rollouts")]
    Closed,
    /// No place was free in time.
    #[error("the driver had no place for the rollout within {} ms", .after.as_millis())]
    TimedOut {
        /// The time that was given.
        after: Duration,
    },
}

impl From<AcquireError> for AdmissionError {
    fn from(error: AcquireError) -> Self {
        match error {
            AcquireError::TimedOut { after } => Self::TimedOut { after },
            // A limit has at least the one slot that a rollout asks for.
            AcquireError::Closed | AcquireError::TooMany { .. } => Self::Closed,
        }
    }
}
