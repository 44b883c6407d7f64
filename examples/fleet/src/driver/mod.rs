//! The rollout driver: sends each row to the agent, within a concurrency limit, and writes what comes back.

mod cut;
mod dispatch;
mod files;
mod progress;

pub(crate) use cut::Cut;
pub(crate) use dispatch::{Driver, Tally};
pub(crate) use files::{Files, new_folder};
pub(crate) use progress::Progress;
