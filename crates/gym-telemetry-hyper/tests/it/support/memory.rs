use std::{
    io,
    task::{Context, Poll},
};

use http::Uri;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};
use tower_service::Service;

/// A connector to a server in memory that answers `hi`, whatever host is meant.
#[derive(Clone, Default)]
pub(crate) struct InMemory;

impl Service<Uri> for InMemory {
    type Response = TokioIo<DuplexStream>;
    type Error = io::Error;
    type Future = std::future::Ready<io::Result<Self::Response>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let (ours, mut theirs) = tokio::io::duplex(4096);
        tokio::spawn(async move {
            let mut request = [0; 4096];
            while theirs.read(&mut request).await.is_ok_and(|read| read > 0) {
                theirs.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi").await.expect("a client that reads");
            }
        });
        std::future::ready(Ok(TokioIo::new(ours)))
    }
}
