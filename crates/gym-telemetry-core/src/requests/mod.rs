//! Requests that a server handles: how many, how they ended, how many are under way.
//!
//! [`RequestMetrics`] is the recorder. A layer takes a [`RequestRecorder`] from it and turns each request into a
//! [`RequestInFlight`], which ends exactly once.

mod in_flight;
mod recorder;
mod shard;
mod snapshot;
#[cfg(test)]
mod tests;

pub use in_flight::{Cancelled, RequestInFlight};
pub use recorder::{RequestMetrics, RequestRecorder};
pub use snapshot::{Cancellations, RequestSnapshot};
