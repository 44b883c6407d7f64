//! What slows a tokio process down, visible even while it is stuck.
//!
//! ```
//! use gym_telemetry_core::{EventLoopMetrics, ProcessMetrics};
//! use gym_telemetry_runtime::{LagWatcher, ThisProcess};
//! use opentelemetry::metrics::MeterProvider as _;
//! use tokio::runtime::Handle;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::io::Result<()> {
//! # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
//! let watcher = LagWatcher::new(EventLoopMetrics::new(&meter))?;
//! watcher.watch("server", &Handle::current());
//! let process = ProcessMetrics::new(&meter, ThisProcess::new());
//! // … serve; dropping both ends what they report …
//! # drop((watcher, process));
//! # Ok(())
//! # }
//! ```
//!
//! * [`LagWatcher`] times how long ready tasks wait, from a thread that no runtime can block.
//! * [`ThisProcess`] reads processor time, memory, threads and open files.
//!
//! # Features
//!
//! * `tokio-metrics`: how busy a runtime's workers are and how deep their shared queue is, as [`LagSettings`] tells.

mod lag;
mod process;

pub use lag::{LagSettings, LagWatcher};
pub use process::ThisProcess;
