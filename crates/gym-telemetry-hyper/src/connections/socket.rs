use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError, Weak},
    task::{Context, Poll},
};

use hyper::rt::{Read, ReadBufCursor, Write};

use super::{pool::Pool, state::Reusable};
use crate::{Slot, host::HostKey};

/// An open socket in the accounts of its pool. Dropped, it is closed.
#[derive(Debug)]
pub(crate) struct Socket<C: Reusable> {
    pool: Weak<Pool<C>>,
    key: HostKey,
    keeper: Keeper,
}

/// Where a slot lies that has to last as long as the socket: that of a connection which became something else.
#[derive(Debug, Clone, Default)]
pub(crate) struct Keeper(Arc<Mutex<Option<Slot<HostKey>>>>);

/// A stream of bytes with its [`Socket`], which is closed after it.
#[derive(Debug)]
pub(crate) struct SocketIo<T, C: Reusable> {
    io: T,
    _socket: Socket<C>,
}

impl<C: Reusable> Socket<C> {
    pub(super) fn new(pool: &Arc<Pool<C>>, key: HostKey) -> Self {
        Self { pool: Arc::downgrade(pool), key, keeper: Keeper::default() }
    }

    pub(crate) fn keeper(&self) -> Keeper {
        self.keeper.clone()
    }

    pub(crate) fn bind<T>(self, io: T) -> SocketIo<T, C> {
        SocketIo { io, _socket: self }
    }
}

impl<C: Reusable> Drop for Socket<C> {
    fn drop(&mut self) {
        if let Some(pool) = self.pool.upgrade() {
            pool.socket_closed(&self.key);
        }
    }
}

impl Keeper {
    /// Keeps a slot until the socket is closed.
    pub(crate) fn keep(&self, slot: Slot<HostKey>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(slot);
    }
}

impl<T, C: Reusable> SocketIo<T, C> {
    fn io(self: Pin<&mut Self>) -> Pin<&mut T>
    where
        T: Unpin,
    {
        Pin::new(&mut self.get_mut().io)
    }
}

impl<T: Unpin, C: Reusable> Unpin for SocketIo<T, C> {}

impl<T: Read + Unpin, C: Reusable> Read for SocketIo<T, C> {
    #[inline]
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        self.io().poll_read(cx, buf)
    }
}

impl<T: Write + Unpin, C: Reusable> Write for SocketIo<T, C> {
    #[inline]
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.io().poll_write(cx, buf)
    }

    #[inline]
    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.io().poll_flush(cx)
    }

    #[inline]
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.io().poll_shutdown(cx)
    }

    #[inline]
    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    #[inline]
    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.io().poll_write_vectored(cx, bufs)
    }
}
