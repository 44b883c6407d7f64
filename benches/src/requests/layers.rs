//! Layers that do nothing: what wrapping itself costs.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use http::{Request, Response};
use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;
use tower_service::Service;

/// A layer that only calls the inner service.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Identity<S>(pub S);

impl<S: Service<R>, R> Service<R> for Identity<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(cx)
    }

    fn call(&mut self, request: R) -> S::Future {
        self.0.call(request)
    }
}

/// A layer that wraps future and body, with something of the caller's that rides along to the end of the body.
#[derive(Debug, Clone)]
pub(crate) struct Wrap<S, T> {
    inner: S,
    rider: T,
}

/// What rides along with a request.
pub(crate) trait Rider: Clone {
    /// One request's part of it.
    type Ticket;
    /// A request comes in.
    fn begin(&self) -> Self::Ticket;
    /// Its head is there.
    fn respond(ticket: &mut Self::Ticket, status: u16);
}

impl Rider for () {
    type Ticket = ();
    fn begin(&self) {}
    fn respond((): &mut (), _: u16) {}
}

impl<S, T> Wrap<S, T> {
    pub(crate) fn new(inner: S, rider: T) -> Self {
        Self { inner, rider }
    }
}

impl<S, T: Rider, B, C> Service<Request<B>> for Wrap<S, T>
where
    S: Service<Request<B>, Response = Response<C>>,
{
    type Response = Response<Wrapped<C, T::Ticket>>;
    type Error = S::Error;
    type Future = WrapFuture<S::Future, T>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        WrapFuture { ticket: Some(self.rider.begin()), inner: self.inner.call(request) }
    }
}

pin_project! {
    pub(crate) struct WrapFuture<F, T: Rider> {
        #[pin]
        inner: F,
        ticket: Option<T::Ticket>,
    }
}

impl<F, T: Rider, B, E> Future for WrapFuture<F, T>
where
    F: Future<Output = Result<Response<B>, E>>,
{
    type Output = Result<Response<Wrapped<B, T::Ticket>>, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let Poll::Ready(response) = this.inner.poll(cx)? else { return Poll::Pending };
        let mut ticket = this.ticket.take();
        if let Some(ticket) = &mut ticket {
            T::respond(ticket, response.status().as_u16());
        }
        Poll::Ready(Ok(response.map(|inner| Wrapped { inner, _ticket: ticket })))
    }
}

pin_project! {
    pub(crate) struct Wrapped<B, T> {
        #[pin]
        inner: B,
        _ticket: Option<T>,
    }
}

impl<B: Body, T> Body for Wrapped<B, T> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        self.project().inner.poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
