//! Checks that read one finished rollout and say what looks wrong with it.
//!
//! `trajectory` is the shape of what they read, `calls` tells which model call belongs to which turn, `content` what
//! counts as an answer. The checks themselves are functions: `turns`, `model_calls` and `consistency`.

mod calls;
mod check;
mod consistency;
mod content;
mod error;
mod model_calls;
mod record;
mod registry;
#[cfg(test)]
mod tests;
mod trajectory;
mod turns;

pub use check::{CheckError, HealthCheck};
pub use error::UnknownHealthCheck;
pub use record::RolloutRecord;
pub use registry::HealthChecks;
