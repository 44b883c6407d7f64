use std::task::{Context, Poll};

use gym_telemetry_core::DestinationRecorder;
use tower_service::Service;

use super::ConnectFuture;

/// A connector whose new connections are samples of `gym.http.connection_pool.connect_duration_ms`.
///
/// It times what the connector within does, from the call to the end: looking the name up, all attempts to connect, and
/// TLS if that is within. [`PooledClient`](crate::PooledClient) has this already; it is for clients of another kind.
///
/// # Example
///
/// ```
/// use bytes::Bytes;
/// use gym_telemetry_core::PoolMetrics;
/// use gym_telemetry_hyper::MeteredConnector;
/// use http_body_util::Empty;
/// use hyper_util::{client::legacy::{Client, connect::HttpConnector}, rt::TokioExecutor};
/// # use opentelemetry::metrics::MeterProvider as _;
///
/// # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
/// let pool = PoolMetrics::new(&meter);
/// let connector = MeteredConnector::new(HttpConnector::new(), pool.recorder().destination("judge"));
/// let client: Client<_, Empty<Bytes>> = Client::builder(TokioExecutor::new()).build(connector);
/// # drop(client);
/// ```
#[derive(Debug, Clone)]
#[must_use = "a connector does nothing until a client uses it"]
pub struct MeteredConnector<C> {
    connector: C,
    destination: DestinationRecorder,
}

impl<C> MeteredConnector<C> {
    /// Times `connector`, whose connections go to one destination.
    pub fn new(connector: C, destination: DestinationRecorder) -> Self {
        Self { connector, destination }
    }
}

impl<C: Service<T>, T> Service<T> for MeteredConnector<C> {
    type Response = C::Response;
    type Error = C::Error;
    type Future = ConnectFuture<C::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), C::Error>> {
        self.connector.poll_ready(cx)
    }

    fn call(&mut self, target: T) -> Self::Future {
        let opening = self.destination.connect();
        ConnectFuture::new(self.connector.call(target), opening)
    }
}
