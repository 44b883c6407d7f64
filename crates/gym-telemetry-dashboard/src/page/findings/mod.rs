//! What the data says, in sentences.
//!
//! Each rule is a file: it gathers a few numbers, and a pure function makes of them a finding or nothing. The rules,
//! with their thresholds, are listed in `docs/dashboard.md`.

mod cancelled;
mod errors;
mod finding;
mod forms;
mod gone;
mod lag;
mod limits;
mod memory;
mod mixed;
mod pool;
mod refused;
mod rollouts;
mod rules;

pub(super) use errors::is_error;
pub(super) use finding::Finding;
pub(super) use rules::{all, brief};
