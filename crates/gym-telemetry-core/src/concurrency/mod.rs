//! Concurrency limits: how many slots they have, how many are held, how many callers wait.
//!
//! [`ConcurrencyMetrics`] is the recorder. Each limit takes a [`LimitRecorder`] from it and tells its state whenever
//! that changes; limits of one [`LimitName`] are summed.

mod recorder;
mod series;
#[cfg(test)]
mod tests;

pub use recorder::{ConcurrencyMetrics, LimitName, LimitRecorder, LimitState};
