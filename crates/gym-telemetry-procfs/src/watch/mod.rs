//! The watch: a thread that samples servers, host and container at an interval.
//!
//! A `MemoryWatch` is the handle, its `Worker` what the thread runs: it takes changes of what is watched, samples when
//! the `Schedule` says so, and waits. The `Sampler` takes one sample of all `Server`s; it alone touches `/proc`, and
//! knows nothing of time between samples. `Newcomers` saves it from looking for processes that cannot be there.

mod builder;
mod memory_watch;
mod newcomers;
mod sampler;
mod schedule;
mod server;
mod target;
mod worker;

pub use builder::{MemoryWatchBuilder, WatchError};
pub use memory_watch::MemoryWatch;
