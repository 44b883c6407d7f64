//! The watch: a thread that samples servers, host and container at an interval.

mod builder;
mod memory_watch;
mod newcomers;
mod sampler;
mod schedule;
mod server;
mod worker;

pub use builder::{MemoryWatchBuilder, WatchError};
pub use memory_watch::MemoryWatch;
