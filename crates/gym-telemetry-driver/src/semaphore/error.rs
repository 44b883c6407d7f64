use std::time::Duration;

/// Why a [`MeteredSemaphore`](super::MeteredSemaphore) gave no slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AcquireError {
    /// It was closed.
    #[error("the limit is closed")]
    Closed,
    /// It has fewer slots than were asked for, from the start or since it shrank.
    #[error("{asked} slots were asked for, and the limit has {slots}")]
    TooMany {
        /// Slots asked for.
        asked: usize,
        /// Slots that there are.
        slots: usize,
    },
    /// No slot was free in time.
    #[error("no slot was free within {} ms", .after.as_millis())]
    TimedOut {
        /// The time that was given.
        after: Duration,
    },
}
