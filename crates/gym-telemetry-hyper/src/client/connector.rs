use http::Uri;
use hyper::rt::{Read, Write};
use hyper_util::client::legacy::connect::Connection;
use tower_service::Service;

use crate::error::BoxError;

/// Whatever opens connections: any [`Service`] from a URI to a stream of bytes that knows what it is connected to, such
/// as the connectors of hyper-util.
///
/// It is implemented for all of them, and by nothing else.
pub trait Connect: private::Connect {}

impl<C: private::Connect> Connect for C {}

pub(crate) mod private {
    use super::*;

    /// The bounds, once.
    pub trait Connect:
        Service<Uri, Response = Self::Io, Error: Into<BoxError>, Future: Send> + Clone + Send + Sync + 'static
    {
        /// The stream of bytes.
        type Io: Io;
    }

    impl<C, T: Io> Connect for C
    where
        C: Service<Uri, Response = T, Error: Into<BoxError>, Future: Send> + Clone + Send + Sync + 'static,
    {
        type Io = T;
    }

    /// What HTTP needs of a stream of bytes.
    pub trait Io: Read + Write + Connection + Send + Unpin + 'static {}

    impl<T: Read + Write + Connection + Send + Unpin + 'static> Io for T {}
}
