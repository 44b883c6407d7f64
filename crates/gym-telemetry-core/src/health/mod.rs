//! What health checks find in rollouts. The checks themselves are elsewhere: here is how they count.

mod recorder;
mod rollout;
#[cfg(test)]
mod tests;

pub use recorder::HealthMetrics;
pub use rollout::RolloutHealth;
