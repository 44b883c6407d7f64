//! The memory of a fleet: of every server's process tree, of the host and of the container, sampled from outside
//! without stopping what is watched.
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
//!
//! The watch samples on a thread of its own, so it works with any runtime and without one. What it reports is listed at
//! [`MemoryMetrics`](gym_telemetry_core::MemoryMetrics).
//!
//! # Who belongs to a server
//!
//! A server is a process and all processes below it, as each thread's `children` in `/proc` tells them, or on a kernel
//! without it, the parents of all processes. A process is known by its id and its start together: one that was given
//! the id of another later is a stranger, and so is a child older than its parent. A process counts once, its threads
//! never do, and a zombie counts as a process without memory. One that looks like a zombie because its first thread has
//! ended has the memory that its other threads tell.
//!
//! Not seen are processes that lost their parent and were given one outside of the server, such as daemons; processes
//! on other hosts; and those of others where `/proc` is mounted with `hidepid`.
//!
//! A server ends with its root process, and is forgotten then: it has no point in the next export.
//!
//! # Resident and proportional memory
//!
//! RSS is what a process has in memory. It is read from `statm` for each sample, and is cheap. What processes share
//! counts for each of them. PSS divides it among them, so the PSS of a server is what it really takes, and the sum over
//! all servers can be set against the host. To read it the kernel visits every page, and meanwhile the process can map
//! nothing new. So it is read within a [`PssBudget`], and reported only while it is complete: a process that may not be
//! read, or is too large for the ceiling, leaves its server with RSS alone, which is said in the log once.
//!
//! Each process is read at a moment of its own. The sum is exact once nothing has changed for a walk, and after a fork
//! it may for a moment count twice what parent and child share. Its age is reported with it.
//!
//! # The container
//!
//! Limit and use are those of the control group whose limit binds, which is the least on the way from the sampler's own
//! group up to what can be seen; of either version of control groups. A limit that is not below the host's memory is
//! none. Without a limit, use is that of the sampler's own group.
//!
//! # What it costs
//!
//! Little is allocated for a sample, and nothing for a process once it is known. As long as the kernel's numbering
//! shows that no server can have a new process, nobody is looked for. `statm` and lists of children stay open between
//! samples, up to an eighth of the files that this process may open, 4096 at most.
//!
//! `cargo xtask bench memory` measures it on the machine at hand, beside the system calls that nobody can do without
//! and beside other libraries.

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
