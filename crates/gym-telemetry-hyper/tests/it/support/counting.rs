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
use hyper_util::client::legacy::connect::{Connected, Connection};
use tower_service::Service;

/// A connector that counts how many of its streams there are, from before they are opened until after they are closed.
#[derive(Clone, Default)]
pub(crate) struct Counting<C> {
    connector: C,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    open: AtomicUsize,
    most: AtomicUsize,
}

/// One stream, counted until it is dropped.
pub(crate) struct Counted<T> {
    stream: T,
    _open: Open,
}

struct Open(Arc<Counts>);

impl<C> Counting<C> {
    pub(crate) fn new(connector: C) -> Self {
        Self { connector, counts: Arc::default() }
    }

    /// How many there are.
    pub(crate) fn open(&self) -> usize {
        self.counts.open.load(Ordering::SeqCst)
    }

    /// The most at once.
    pub(crate) fn most(&self) -> usize {
        self.counts.most.load(Ordering::SeqCst)
    }
}

impl<C: Service<Uri, Future: Send + 'static>> Service<Uri> for Counting<C> {
    type Response = Counted<C::Response>;
    type Error = C::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, C::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), C::Error>> {
        self.connector.poll_ready(cx)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        self.counts.most.fetch_max(self.counts.open.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        let open = Open(Arc::clone(&self.counts));
        let connecting = self.connector.call(uri);
        Box::pin(async move { Ok(Counted { stream: connecting.await?, _open: open }) })
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::SeqCst);
    }
}

impl<T> Connection for Counted<T> {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl<T: Read + Unpin> Read for Counted<T> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl<T: Write + Unpin> Write for Counted<T> {
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
