use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

use http::Uri;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::{
    client::legacy::connect::{Connected, Connection},
    rt::TokioIo,
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};
use tower_service::Service;

/// A connector to a server in memory that answers `hi`, whatever host is meant.
#[derive(Clone, Default)]
pub(crate) struct InMemory {
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    open: AtomicUsize,
    most: AtomicUsize,
}

/// A connection in memory.
pub(crate) struct MemoryStream {
    stream: TokioIo<DuplexStream>,
    counts: Arc<Counts>,
}

impl InMemory {
    /// The most connections at once.
    pub(crate) fn most(&self) -> usize {
        self.counts.most.load(Ordering::SeqCst)
    }
}

impl Service<Uri> for InMemory {
    type Response = MemoryStream;
    type Error = io::Error;
    type Future = std::future::Ready<io::Result<MemoryStream>>;

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
        let counts = Arc::clone(&self.counts);
        counts.most.fetch_max(counts.open.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::future::ready(Ok(MemoryStream { stream: TokioIo::new(ours), counts }))
    }
}

impl Drop for MemoryStream {
    fn drop(&mut self) {
        self.counts.open.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Connection for MemoryStream {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl Read for MemoryStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl Write for MemoryStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
