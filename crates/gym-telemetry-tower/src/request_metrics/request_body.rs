use std::{
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Buf as _;
use gym_telemetry_core::BytesReceived;
use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;

pin_project! {
    /// A request's body as it was, with its bytes counted as they are read.
    #[derive(Debug)]
    pub struct RequestBody<B> {
        #[pin]
        inner: B,
        received: Option<BytesReceived>,
    }
}

impl<B> RequestBody<B> {
    /// Counts what is read of a body, if there is something to count with.
    #[inline]
    pub fn new(inner: B, received: impl Into<Option<BytesReceived>>) -> Self {
        Self { inner, received: received.into() }
    }
}

impl<B: Body> Body for RequestBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    #[inline]
    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let this = self.project();
        let polled = this.inner.poll_frame(cx);
        if let (Poll::Ready(Some(Ok(frame))), Some(received)) = (&polled, this.received)
            && let Some(data) = frame.data_ref()
        {
            received.add(data.remaining() as u64);
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
