use std::{
    marker::PhantomData,
    task::{Context, Poll},
};

use http::{Request, Response};
use http_body::Body;
use tower_service::Service;

use super::{
    RequestBodies, ResponseBody, ResponseFuture, Untouched,
    exchange::{Exchange, Recorder},
};

/// Counts the requests to the service inside; made by [`RequestMetricsLayer`](super::RequestMetricsLayer).
#[derive(Debug)]
pub struct RequestMetricsService<S, M = Untouched> {
    inner: S,
    recorder: Recorder,
    bodies: PhantomData<fn() -> M>,
}

impl<S, M> RequestMetricsService<S, M> {
    pub(super) fn new(inner: S, recorder: Recorder) -> Self {
        Self { inner, recorder, bodies: PhantomData }
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

impl<S, M, A, B> Service<Request<A>> for RequestMetricsService<S, M>
where
    M: RequestBodies<A>,
    S: Service<Request<M::Body>, Response = Response<B>>,
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
    fn call(&mut self, request: Request<A>) -> Self::Future {
        let mut exchange = Exchange::begin(&self.recorder, &request);
        ResponseFuture { inner: M::call(&mut self.inner, request, |is_empty| exchange.receive(is_empty)), exchange }
    }
}

impl<S: Clone, M> Clone for RequestMetricsService<S, M> {
    #[inline]
    fn clone(&self) -> Self {
        Self::new(self.inner.clone(), self.recorder.clone())
    }
}
