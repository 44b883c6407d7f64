//! The rollout driver: sends each row to the agent, within a concurrency limit, and writes what comes back.

mod dispatch;
mod files;
mod progress;
mod stop;

pub(crate) use dispatch::{Driver, Tally};
pub(crate) use files::{Files, new_folder};
pub(crate) use progress::Progress;
pub(crate) use stop::{Stage, Stop};
