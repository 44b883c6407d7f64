//! Garbage collection of a runtime that this process hosts.
//!
//! [`GcMetrics`] is driven by the runtime's own callbacks, in the middle of a collection: what they call takes no lock,
//! allocates nothing and waits for nobody.

mod pauses;
mod recorder;
#[cfg(test)]
mod tests;

pub use recorder::{GcGeneration, GcMetrics, GcSnapshot};
