//! The rollout driver: how much work it holds, what that work waits for, how large it is.

mod guards;
mod recorder;
mod shard;
mod size;
mod snapshot;
#[cfg(test)]
mod tests;

pub use guards::{Active, Resident};
pub use recorder::DriverMetrics;
pub use size::RolloutSize;
pub use snapshot::DriverSnapshot;
