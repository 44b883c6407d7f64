//! Where time goes, what failed and how much work waits, in the servers and drivers of a rollout fleet.
//!
//! ```
//! use std::time::Duration;
//!
//! use gym_telemetry::{Settings, Telemetry};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let telemetry = Telemetry::builder(Settings::default()).server("math", "resources_servers").start()?;
//!
//! let verification = telemetry.verify().start();
//! // … verify …
//! verification.succeed();
//!
//! telemetry.shutdown(Duration::from_secs(5))?;
//! # Ok(())
//! # }
//! ```
//!
//! [`Telemetry`] comes first: it reads the settings, starts the exporter on a thread of its own, and hands out the
//! recorders. Recorders count in the process at the price of a few integer additions an event; the exporter reads
//! them. With telemetry off the recorders are the same, and silent.
//!
//! # Features
//!
//! Each adds a crate of the workspace and changes nothing else.
//!
//! * `tower`: the request layer, in `gym_telemetry::tower`; with `axum`, it knows axum's routes.
//! * `driver`: admission, input and output of a rollout driver, in `gym_telemetry::driver`.
//! * `hyper`: an HTTP client with limits and metrics, in `gym_telemetry::hyper`.
//! * `serve`: [`Telemetry::serve`], a server with everything switched on.
//! * `runtime`: the lag of the event loop and the process's own numbers, in `gym_telemetry::runtime`.
//! * `procfs`: the memory of a fleet, in `gym_telemetry::procfs`.
//! * `otlp-grpc` (default), `otlp-http`, `prometheus`: where metrics can go.
//! * `full`: all of them.

#[cfg(all(doctest, feature = "full"))]
#[doc = include_str!("../../../README.md")]
mod readme {}
mod recorders;
#[cfg(feature = "serve")]
mod serve;
mod startup;
mod telemetry;

pub use gym_telemetry_conventions as conventions;
#[doc(inline)]
pub use gym_telemetry_core::*;
#[cfg(feature = "driver")]
pub use gym_telemetry_driver as driver;
#[cfg(feature = "prometheus")]
pub use gym_telemetry_export::MetricsService;
#[doc(inline)]
pub use gym_telemetry_export::{ExportError, Exporter, Protocol, Settings, SettingsError, StartError, Status};
#[cfg(feature = "hyper")]
pub use gym_telemetry_hyper as hyper;
#[cfg(feature = "procfs")]
pub use gym_telemetry_procfs as procfs;
#[cfg(feature = "runtime")]
pub use gym_telemetry_runtime as runtime;
#[cfg(feature = "tower")]
pub use gym_telemetry_tower as tower;

#[cfg(feature = "serve")]
pub use serve::Serve;
pub use startup::ServerStartup;
pub use telemetry::{Builder, Telemetry};
