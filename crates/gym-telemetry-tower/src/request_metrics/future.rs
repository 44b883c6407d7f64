use std::{
    mem,
    pin::Pin,
    task::{Context, Poll},
};

use http::Response;
use http_body::Body;
use pin_project_lite::pin_project;

use super::{ResponseBody, exchange::Exchange, progress::Event};

pin_project! {
    /// What [`RequestMetricsService`](super::RequestMetricsService) answers with, in time.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct ResponseFuture<F> {
        #[pin]
        pub(super) inner: F,
        pub(super) exchange: Exchange,
    }
}

impl<F, B, E> Future for ResponseFuture<F>
where
    F: Future<Output = Result<Response<B>, E>>,
    B: Body,
{
    type Output = Result<Response<ResponseBody<B>>, E>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let polled = this.exchange.run(|| this.inner.poll(cx));
        match &polled {
            Poll::Ready(Ok(response)) => this.exchange.answer(response),
            Poll::Ready(Err(_)) => this.exchange.on(Event::Error),
            Poll::Pending => {}
        }
        polled.map_ok(|response| response.map(|inner| ResponseBody { inner, exchange: mem::take(this.exchange) }))
    }
}
