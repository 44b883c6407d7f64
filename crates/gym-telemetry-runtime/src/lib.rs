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
//! # Metrics
//!
//! | metric | when | |
//! | --- | --- | --- |
//! | `gym.event_loop.lag_ms` | always | each wait of the watcher's task |
//! | `gym.event_loop.current_lag_ms` | always | ours: the wait that is going on |
//! | `gym.event_loop.tasks` | [`LagSettings::tasks`] | tasks alive, by tokio's own count |
//! | `gym.telemetry.event_loop.busy_ratio` | if asked, `tokio-metrics` | ours: how busy the workers were |
//! | `gym.telemetry.event_loop.queue_depth` | if asked, `tokio-metrics` | ours: tasks in the queue of all workers |
//! | `process.cpu.time`, `process.memory.usage` | always | |
//! | `process.thread.count`, `process.open_file_descriptor.count` | on Linux | |
//!
//! # Features
//!
//! * `tokio-metrics`: `LagSettings::scheduler`, which reports what tokio's scheduler tells of itself.

mod lag;
mod process;

pub use lag::{LagSettings, LagWatcher};
pub use process::ThisProcess;
