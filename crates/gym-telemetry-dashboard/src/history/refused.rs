//! What was not taken in.

/// What was not taken in so far, and why.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refused {
    /// Points refused because a limit is reached, by the collector or by the history.
    pub over_limit: u64,
    /// Points refused because they contradict themselves.
    pub malformed: u64,
    /// How often a series gave up the oldest of its past before its time, to stay within the bytes.
    pub shortened: u64,
    /// What the sender of the latest of them was told, or nothing.
    pub reason: String,
}
