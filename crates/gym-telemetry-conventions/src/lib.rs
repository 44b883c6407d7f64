//! The names that a rollout fleet's metrics go by: every instrument, attribute key, closed value set and bucket
//! boundary, as data.
//!
//! ```
//! use gym_telemetry_conventions::{metrics, Kind, Outcome};
//!
//! let completed = &metrics::ROLLOUT_COMPLETED_TOTAL;
//! assert_eq!(completed.name, "gym.rollout.completed_total");
//! assert_eq!(completed.kind, Kind::CounterU64);
//! assert!(completed.attributes.iter().any(|attribute| attribute.key == "nemo.gym.rollout.outcome"));
//! assert_eq!(Outcome::Scored.as_str(), "scored");
//! ```
//!
//! A fleet of Python and Rust processes lands on one dashboard because both sides use these names to the letter.
//! The crate has no dependencies and no `std`: it can be used by a program that only reads metrics.
//!
//! * [`metrics`] has one [`Instrument`] for each metric, and [`metrics::ALL`] of them.
//! * [`attributes`] has the attribute keys, each with what its values may be.
//! * [`resource`] has the keys of what describes a process as a whole.
//! * [`spans`] has the names of spans.
//! * [`boundaries`] has the explicit histogram boundaries.
//! * The closed value sets are enums at the top level, each with `as_str`, `ALL` and `TEXTS`.
#![no_std]

pub mod attributes;
pub mod boundaries;
mod instrument;
pub mod metrics;
pub mod resource;
pub mod spans;
mod values;

pub use attributes::{Attribute, ValueType, Values};
pub use instrument::{Instrument, Kind, Tier, Use};
pub use values::{
    ConnectOutcome, CpuMode, Dialect, EventLoop, Executor, HealthCheck, HealthVerdict, MemoryType, Operation,
    OperationOutcome, Outcome, PressureShare, PressureWindow, QueueConstraint, QueueOutcome, RequestPhase, RewardRange,
    ServerType, StartupStage, TokenType,
};
