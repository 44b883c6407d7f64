//! The rollout driver: sends each row to the agent, within a concurrency limit, and writes what comes back.

mod cut;
mod dispatch;
mod done;
mod files;
mod progress;
mod reasons;

pub(crate) use cut::Cut;
pub(crate) use dispatch::{Driver, Tally};
pub(crate) use done::Done;
pub(crate) use files::Files;
pub(crate) use progress::Progress;
pub(crate) use reasons::{Reason, Reasons};
