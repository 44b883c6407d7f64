//! The memory of a fleet: of every server's process tree, of the host and of the container, sampled from outside without
//! stopping what is watched.
//!
//! ```
//! use std::time::Duration;
//!
//! use gym_telemetry_core::MemoryMetrics;
//! use gym_telemetry_procfs::MemoryWatch;
//! # use opentelemetry::metrics::MeterProvider as _;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
//! let mut server = std::process::Command::new("sleep").arg("60").spawn()?;
//! let watch = MemoryWatch::builder(MemoryMetrics::new(&meter))
//!     .interval(Duration::from_secs(1))
//!     .watch("policy", "responses_api_models", server.id())
//!     .start()?;
//! let last = watch.stop();
//! assert_eq!(last.servers[0].processes, 1);
//! # server.kill()?;
//! # server.wait()?;
//! # Ok(())
//! # }
//! ```

#![cfg(target_os = "linux")]

mod container;
mod host;
pub mod parse;
mod proc;
mod pss;
mod tree;
mod watch;

pub use proc::ProcFs;
pub use pss::PssBudget;
pub use tree::ProcessTree;
pub use watch::{MemoryWatch, MemoryWatchBuilder, WatchError};
