use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use gym_telemetry_core::ClientRequest;
use pin_project_lite::pin_project;

pin_project! {
    /// A call that is counted as in flight.
    #[derive(Debug)]
    pub struct InFlightFuture<F> {
        #[pin]
        call: F,
        in_flight: Option<ClientRequest>,
    }
}

impl<F> InFlightFuture<F> {
    pub(super) fn new(call: F, in_flight: ClientRequest) -> Self {
        Self { call, in_flight: Some(in_flight) }
    }
}

impl<F: Future> Future for InFlightFuture<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let output = ready!(this.call.poll(cx));
        *this.in_flight = None;
        Poll::Ready(output)
    }
}
