//! The handle on the telemetry of a process, and how it is started.

mod builder;
mod handle;

pub use builder::Builder;
pub use handle::Telemetry;
