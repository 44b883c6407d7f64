//! Outbound calls: how often a connection was asked for, how long that took, and how many calls wait for an answer.
//!
//! [`PoolMetrics`] is the recorder. A client takes a [`PoolRecorder`] from it, and from that a [`DestinationRecorder`]
//! for each server that it calls. Waits, new connections and calls are guards, which are counted once however they end.

mod destination;
mod guards;
mod recorder;
mod snapshot;
#[cfg(test)]
mod tests;

pub use destination::DestinationRecorder;
pub use guards::{ClientRequest, OpeningConnection, QueuedAcquisition};
pub use recorder::{PoolMetrics, PoolRecorder};
pub use snapshot::DestinationSnapshot;
