//! The client: a call takes a slot, then a connection, and keeps both until its response has ended.

mod body;
mod builder;
mod call;
mod connector;
mod future;
#[cfg(feature = "rustls")]
mod https;
mod lease;
mod pooled;
mod request_body;

pub use body::PooledBody;
pub use builder::Builder;
pub use connector::Connect;
pub(crate) use connector::private::Io;
pub use future::ResponseFuture;
pub use pooled::{PoolSnapshot, PooledClient};
pub use request_body::RequestBody;
