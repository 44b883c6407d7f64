//! The rollout driver: sends each row to the agent, within a concurrency limit, and writes what comes back.

mod dispatch;
mod files;
mod progress;
mod stop;

pub use dispatch::{Driver, Tally};
pub use files::{Files, new_folder};
pub use progress::Progress;
pub use stop::{Stage, Stop};
