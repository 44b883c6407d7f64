use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use gym_telemetry_core::OpeningConnection;
use pin_project_lite::pin_project;

pin_project! {
    /// A connection that is being opened and timed.
    #[derive(Debug)]
    pub struct ConnectFuture<F> {
        #[pin]
        connecting: F,
        opening: Option<OpeningConnection>,
    }
}

impl<F> ConnectFuture<F> {
    pub(super) fn new(connecting: F, opening: OpeningConnection) -> Self {
        Self { connecting, opening: Some(opening) }
    }
}

impl<F: Future<Output = Result<T, E>>, T, E> Future for ConnectFuture<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let result = ready!(this.connecting.poll(cx));
        let opening = this.opening.take();
        if result.is_ok()
            && let Some(opening) = opening
        {
            opening.succeed();
        }
        Poll::Ready(result)
    }
}
