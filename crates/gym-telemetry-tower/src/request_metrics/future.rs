use std::{
    pin::Pin,
    task::{Context, Poll, ready},
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
        inner: F,
        exchange: Exchange,
    }
}

impl<F> ResponseFuture<F> {
    #[inline]
    pub(super) fn new(inner: F, exchange: Exchange) -> Self {
        Self { inner, exchange }
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
        let answer = ready!(this.exchange.run(|| this.inner.poll(cx)));
        match &answer {
            Ok(response) => this.exchange.head(response),
            Err(_) => this.exchange.on(Event::Error),
        }
        Poll::Ready(answer.map(|response| response.map(|body| ResponseBody::new(body, this.exchange.hand_on()))))
    }
}
