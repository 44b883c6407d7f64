use std::{
    pin::Pin,
    task::{Context, Poll},
    thread,
};

use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;

use super::{exchange::Exchange, progress::Event};

pin_project! {
    /// A response's body as it was, watched to its end.
    #[derive(Debug)]
    pub struct ResponseBody<B: Body> {
        #[pin]
        pub(super) inner: B,
        pub(super) exchange: Exchange,
    }

    impl<B: Body> PinnedDrop for ResponseBody<B> {
        /// A server that finds the body at its end lets go of it without another poll.
        fn drop(this: Pin<&mut Self>) {
            let this = this.project();
            if this.exchange.is_open() && !thread::panicking() && this.inner.is_end_stream() {
                this.exchange.on(Event::End);
            }
        }
    }
}

impl<B: Body + Default> Default for ResponseBody<B> {
    /// A body that nobody watches, for layers outside that answer by themselves.
    fn default() -> Self {
        Self { inner: B::default(), exchange: Exchange::default() }
    }
}

impl<B: Body> Body for ResponseBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    #[inline]
    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let mut this = self.project();
        let polled = this.exchange.run(|| this.inner.as_mut().poll_frame(cx));
        if let Poll::Ready(frame) = &polled {
            this.exchange.frame(frame);
        }
        polled
    }

    #[inline]
    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    #[inline]
    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
