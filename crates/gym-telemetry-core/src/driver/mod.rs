//! The rollout driver: how much work it holds, what that work waits for, how large it is.

mod guards;
mod recorder;
#[cfg(test)]
mod tests;

pub use guards::{Active, Resident};
pub use recorder::{DriverMetrics, DriverSnapshot, RolloutSize};
