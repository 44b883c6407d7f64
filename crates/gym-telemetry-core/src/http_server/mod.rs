//! Requests to a server by the HTTP semantic conventions, for those who switch them on.
//!
//! They are counted along with everything else that [`requests`](crate::requests) counts: each shard has a part of
//! each series, made when its thread first ends a request of that kind.

mod followed;
mod key;
mod names;
mod received;
mod request;
mod series;
mod shard;
#[cfg(test)]
mod tests;

pub use received::BytesReceived;
pub use request::{HttpMethod, HttpRequest, HttpScheme, HttpVersion};

pub(crate) use followed::Followed;
pub(crate) use key::{ErrorType, Key};
pub(crate) use series::HttpSeries;
pub(crate) use shard::HttpShard;
