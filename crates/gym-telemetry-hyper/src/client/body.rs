use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use gym_telemetry_core::HttpClientCall;
use http::{Response, StatusCode};
use hyper::body::{Body, Frame, Incoming, SizeHint};

use super::{RequestBody, lease::Lease};

/// The body of a response. It holds the call's slot until it has been read to its end or is dropped.
///
/// Reading it to the end lets the connection carry another request; dropping it before closes an HTTP/1.1 connection
/// whose remaining bytes have not come yet.
#[must_use = "it holds a slot for as long as it lives"]
pub struct PooledBody<B: Send + 'static> {
    incoming: Incoming,
    /// Until the end.
    lease: Option<Lease<B>>,
    /// The same, where the HTTP conventions are switched on.
    http: Option<Box<HttpClientCall>>,
}

impl<B: RequestBody> PooledBody<B> {
    pub(super) fn new(
        response: Response<Incoming>,
        lease: Lease<B>,
        http: Option<Box<HttpClientCall>>,
    ) -> Response<Self> {
        let (head, incoming) = response.into_parts();
        let mut body = Self { incoming, lease: None, http };
        if head.status == StatusCode::SWITCHING_PROTOCOLS {
            lease.upgrade();
        } else {
            body.lease = Some(lease);
            body.end_if_done();
        }
        Response::from_parts(head, body)
    }

    fn end_if_done(&mut self) {
        if self.incoming.is_end_stream() {
            self.end();
        }
    }

    fn end(&mut self) {
        if let Some(lease) = self.lease.take() {
            lease.end();
        }
        self.http = None;
    }

    fn fail(&mut self) {
        self.lease = None;
        if let Some(http) = self.http.take() {
            http.fail("body");
        }
    }
}

impl<B: RequestBody> Body for PooledBody<B> {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.incoming).poll_frame(cx));
        match &frame {
            Some(Ok(_)) => self.end_if_done(),
            Some(Err(_)) => self.fail(),
            None => self.end(),
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}

impl<B: Send + 'static> fmt::Debug for PooledBody<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PooledBody").field("incoming", &self.incoming).finish_non_exhaustive()
    }
}
