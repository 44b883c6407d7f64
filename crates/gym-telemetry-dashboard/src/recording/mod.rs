//! Recordings: what a collector was sent, in a file that only grows.
//!
//! ```
//! use gym_telemetry_collector::{Limits, Store};
//! use gym_telemetry_dashboard::history::Settings;
//! use gym_telemetry_dashboard::recording::{Recorder, replay};
//! use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let path = folder.path().join("run.otlp");
//! let mut store = Store::observed(Limits::default(), Recorder::create(&path, |error| println!("{error}"))?);
//! store.apply(ExportMetricsServiceRequest::default());
//!
//! let replayed = replay(&path, Settings::new())?;
//! assert_eq!((replayed.requests, replayed.torn), (1, None));
//! # Ok(())
//! # }
//! ```
//!
//! * [`Recorder`] is an observer, alone or in a pair with that of a history.
//! * [`replay()`] reads a file into a [`History`](crate::history::History) whose present is the end of the recording.
//!
//! Each request is in the hands of the system before it is answered, so a recording outlives a kill of its process;
//! what the kill tore is the last frame at most. The file is described in `docs/recording.md`.

mod format;
mod recorder;
mod replay;

#[cfg(test)]
mod tests;

pub use recorder::Recorder;
pub use replay::{ReplayError, Replayed, replay};
