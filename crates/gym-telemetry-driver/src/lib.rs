//! What a rollout driver wraps around its work, so that it is seen how much work exists, what it waits for and what
//! writing it out costs.
//!
//! ```
//! use gym_telemetry_core::DriverMetrics;
//! use gym_telemetry_driver::{Admission, OutputWriter};
//! # use opentelemetry::metrics::MeterProvider as _;
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("rollouts.jsonl");
//! let metrics = DriverMetrics::new(&meter);
//! let admission = Admission::new(16, metrics.clone());
//! let output = OutputWriter::open(&path, metrics.clone())?;
//!
//! let rollout = metrics.offer(); // resident from here
//! let permit = admission.admit().await?; // active from here
//! let row = br#"{"reward": 1.0}"#.to_vec(); // … the rollout itself …
//! output.write(row).await?;
//! drop((permit, rollout));
//! # Ok(())
//! # }
//! ```
//!
//! * [`Admission`] is the concurrency limit: its wait is `gym.driver.admission_duration_ms`, who holds a [`Permit`]
//!   counts in `gym.driver.rollouts.active`. With an [`AdaptiveLimit`] it finds its own value.
//! * [`MeteredSemaphore`] is the limit beneath it, for any other use: resizable, with timeouts, as `gym.concurrency.*`.
//! * [`operation`] does the same for a resources server: it waits for a limit and times what runs inside it.
//! * [`OutputWriter`] appends rows, each wholly or not at all, off the runtime's threads.
//! * [`materialize`] reads and repeats the input rows of a run, [`Input`] does so in two steps.
//! * [`rollout_size`] measures a finished rollout, and [`HealthChecks`] tell what looks wrong with it.

mod adaptive;
mod admission;
mod health;
mod input;
mod operations;
mod output;
mod semaphore;
#[cfg(test)]
mod served;
mod size;
#[cfg(test)]
#[path = "../../gym-telemetry-core/src/testing.rs"]
mod testing;

pub use adaptive::AdaptiveLimit;
pub use admission::{Admission, AdmissionError, Permit};
pub use health::{CheckError, HealthCheck, HealthChecks, RolloutRecord, UnknownHealthCheck};
pub use input::{Input, InputError, Materialized, materialize};
pub use operations::{Limit, LimitedOperation, operation};
pub use output::{OutputError, OutputWriter};
pub use semaphore::{AcquireError, MeteredPermit, MeteredSemaphore};
pub use size::rollout_size;
