//! Rollouts: how long they take, how they end, which rewards they earn.

mod completed;
mod recorder;
mod series;
mod settings;
#[cfg(test)]
mod tests;

pub use completed::{Completed, Failure, reward_range};
pub use recorder::{RolloutMetrics, RolloutTimer};
pub use settings::RolloutSettings;
