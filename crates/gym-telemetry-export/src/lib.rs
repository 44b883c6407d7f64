//! Takes the metrics of a process to a collector, to standard output or to Prometheus, and its spans to a collector,
//! without ever touching the application's runtime.
//!
//! ```
//! use std::time::Duration;
//!
//! use gym_telemetry_export::{Exporter, Settings, Telemetry};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut settings = Settings::default();
//! settings.enabled = true;
//! settings.exporter = Exporter::Console;
//! let telemetry = Telemetry::builder(settings).server("math", "resources_servers").start()?;
//!
//! let verified = telemetry.meter("example").u64_counter("example.verified_total").build();
//! verified.add(1, &[]);
//!
//! telemetry.shutdown(Duration::from_secs(5))?;
//! # Ok(())
//! # }
//! ```
//!
//! # Settings
//! [`Settings`] is the `telemetry:` block of a configuration file. When telemetry starts, the environment is laid over
//! it: a variable that is set wins over the block, and each field of `Settings` names its variables. Something that
//! cannot be understood is a [`SettingsError`], which says where it stands and what would have been accepted. A
//! supervisor hands its settings, with the id of the run, to the processes that it spawns:
//!
//! ```no_run
//! # use gym_telemetry_export::{Settings, Telemetry};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let telemetry = Telemetry::start(Settings::default())?;
//! std::process::Command::new("server").envs(telemetry.child_env()).spawn()?;
//! # Ok(())
//! # }
//! ```
//!
//! # A thread of its own
//! Everything is collected, encoded, sent and retried on one thread with a small runtime of its own. The application
//! may run any runtime or none, it may be blocked or gone, and it never waits for a collector. [`Telemetry::flush`] and
//! [`Telemetry::shutdown`] wait no longer than they are told. [`Telemetry::status`] tells how exports go, and the log
//! (through `tracing`) tells when they begin to fail and when they succeed again.
//!
//! Totals are cumulative unless `OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE` says otherwise, so what a collector
//! missed while it was away is in the first export after it came back. With delta temporality it is lost.
//!
//! The SDK and the OTLP exporter log too, under targets that begin with `opentelemetry`: each failed export, and what a
//! collector took only in part.
//!
//! # Spans
//! With `traces_enabled`, [`Telemetry::tracer`] makes spans, and what has ended goes out over OTLP with the metrics. A
//! supervisor makes its span the parent of a child's by [`context_env`]; the child finds it in
//! [`Telemetry::inherited_context`]. Metrics come
//! first: spans that cannot be sent are lost, which is no failed export, and the log says so.
//!
//! # Features
//! All are on by default. They add exporters and change nothing else; asking for one that is not compiled in is a
//! [`StartError`].
//!
//! * `otlp-grpc`: OTLP over gRPC.
//! * `otlp-http`: OTLP over HTTP/1.1, as protobuf.
//! * `prometheus`: [`MetricsService`], which answers scrapes.
//!
//! TLS is not built in: a collector is reached in the clear, on this machine or on a network that can be trusted.

mod error;
mod meter;
mod otlp;
mod overflow;
mod prometheus;
mod propagation;
mod resource;
mod settings;
#[cfg(any(feature = "otlp-grpc", feature = "otlp-http"))]
mod spans;
#[cfg(not(any(feature = "otlp-grpc", feature = "otlp-http")))]
#[path = "spans/none.rs"]
mod spans;
mod telemetry;
mod worker;

pub use error::{ExportError, StartError};
#[cfg(feature = "prometheus")]
pub use prometheus::MetricsService;
pub use propagation::context_env;
pub use settings::{Exporter, Headers, MemoryProfiling, Protocol, Settings, SettingsError};
pub use telemetry::{Builder, Telemetry};
pub use worker::Status;
