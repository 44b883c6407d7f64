//! Durations as integers.

use std::time::Duration;

/// A duration in nanoseconds; 584 years are enough.
#[inline]
pub(crate) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
