use std::task::{Context, Poll};

use gym_telemetry_core::PoolRecorder;
use tower_service::Service;

use super::InFlightFuture;

/// A client whose calls count in `gym.http.client.requests.in_flight`, each until it has its response, failed or was
/// dropped.
///
/// [`PooledClient`](crate::PooledClient) has this already; it is for clients of another kind.
#[derive(Debug, Clone)]
#[must_use = "a client does nothing until it is called"]
pub struct InFlight<S> {
    client: S,
    recorder: PoolRecorder,
}

impl<S> InFlight<S> {
    /// Counts the calls of `client`.
    pub fn new(client: S, recorder: impl Into<PoolRecorder>) -> Self {
        Self { client, recorder: recorder.into() }
    }
}

impl<S: Service<R>, R> Service<R> for InFlight<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = InFlightFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.client.poll_ready(cx)
    }

    fn call(&mut self, request: R) -> Self::Future {
        let in_flight = self.recorder.begin();
        InFlightFuture::new(self.client.call(request), in_flight)
    }
}
