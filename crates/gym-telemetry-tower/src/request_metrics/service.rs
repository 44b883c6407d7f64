use std::task::{Context, Poll};

use http::{Request, Response};
use http_body::Body;
use tower_service::Service;

use super::{
    ResponseBody, ResponseFuture,
    exchange::{Exchange, Recorder},
};

/// Counts the requests to the service inside; made by [`RequestMetricsLayer`](super::RequestMetricsLayer).
#[derive(Debug, Clone)]
pub struct RequestMetricsService<S> {
    inner: S,
    recorder: Recorder,
}

impl<S> RequestMetricsService<S> {
    pub(super) fn new(inner: S, recorder: Recorder) -> Self {
        Self { inner, recorder }
    }

    /// The service inside.
    pub fn get_ref(&self) -> &S {
        &self.inner
    }

    /// The service inside, to be changed.
    pub fn get_mut(&mut self) -> &mut S {
        &mut self.inner
    }

    /// The service inside, which is counted no more.
    pub fn into_inner(self) -> S {
        self.inner
    }
}

impl<S, RequestBody, B> Service<Request<RequestBody>> for RequestMetricsService<S>
where
    S: Service<Request<RequestBody>, Response = Response<B>>,
    B: Body,
{
    type Response = Response<ResponseBody<B>>;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future>;

    /// Counts nothing: a server may ask long before there is a request, or without one ever coming.
    #[inline]
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx)
    }

    #[inline]
    fn call(&mut self, request: Request<RequestBody>) -> Self::Future {
        let exchange = Exchange::begin(&self.recorder, &request);
        ResponseFuture { exchange, inner: self.inner.call(request) }
    }
}
