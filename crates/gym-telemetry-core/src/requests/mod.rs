//! Requests that a server handles: how many, how they ended, how many are under way.
//!
//! [`RequestMetrics`] is the recorder. A layer takes a [`RequestRecorder`] from it and turns each request into a
//! [`RequestInFlight`], which ends exactly once.

mod cancelled;
mod in_flight;
mod recorder;
mod routes;
mod settings;
mod shard;
mod snapshot;
#[cfg(test)]
mod tests;

pub use cancelled::Cancelled;
pub use in_flight::RequestInFlight;
pub use recorder::{RequestMetrics, RequestRecorder};
pub use settings::{HttpConventions, RequestSettings};
pub use snapshot::{Cancellations, RequestSnapshot};

pub(crate) use routes::RouteIndex;
