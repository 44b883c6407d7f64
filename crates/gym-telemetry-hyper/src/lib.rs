//! Outbound HTTP whose waiting is seen: a client with limits and a fair queue, and metrics for clients of other kinds.

mod capacity;
mod client;
mod connect;
mod connections;
mod destination;
mod error;
mod host;
mod in_flight;
mod slots;

pub use capacity::{Capacity, CapacityError, CapacityReport, CapacityWarning};
pub use client::{Builder, Connect, PoolSnapshot, PooledBody, PooledClient, RequestBody, ResponseFuture};
pub use connect::{ConnectFuture, MeteredConnector, MeteredConnectorLayer};
pub use destination::Destination;
pub use error::CallError;
pub use in_flight::{InFlight, InFlightFuture, InFlightLayer};
pub use slots::{Limits, Slot, Slots, SlotsSnapshot, Waiting};
