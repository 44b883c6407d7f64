//! Timing the opening of connections, for any client that takes a connector.

mod connector;
mod future;
mod layer;

pub use connector::MeteredConnector;
pub use future::ConnectFuture;
pub use layer::MeteredConnectorLayer;
