use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll},
};

use http::Response;

use super::PooledBody;
use crate::CallError;

/// A call that is under way. Nothing happens before it is polled.
///
/// # Cancel safety
///
/// Dropping it ends the call wherever it is: it leaves the queue, or gives its slot back and closes its connection.
#[must_use = "a call does nothing until it is polled"]
pub struct ResponseFuture<B: Send + 'static> {
    call: Pin<Box<dyn Future<Output = Outcome<B>> + Send>>,
}

type Outcome<B> = Result<Response<PooledBody<B>>, CallError>;

impl<B: Send + 'static> ResponseFuture<B> {
    pub(super) fn new(call: impl Future<Output = Outcome<B>> + Send + 'static) -> Self {
        Self { call: Box::pin(call) }
    }
}

impl<B: Send + 'static> Future for ResponseFuture<B> {
    type Output = Outcome<B>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.call.as_mut().poll(cx)
    }
}

impl<B: Send + 'static> fmt::Debug for ResponseFuture<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseFuture").finish_non_exhaustive()
    }
}
