use gym_telemetry_core::DestinationRecorder;
use tower_layer::Layer;

use super::MeteredConnector;

/// Wraps connectors in a [`MeteredConnector`].
///
/// # Example
///
/// With reqwest, which takes layers around its connector and is a service itself:
///
/// ```
/// use gym_telemetry_core::PoolMetrics;
/// use gym_telemetry_hyper::{InFlightLayer, MeteredConnectorLayer};
/// use tower::{Service as _, ServiceBuilder};
/// # use opentelemetry::metrics::MeterProvider as _;
/// # use tokio::{io::{AsyncReadExt as _, AsyncWriteExt as _}, net::TcpListener};
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
/// # let listener = TcpListener::bind("127.0.0.1:0").await?;
/// # let url = format!("http://{}/", listener.local_addr()?).parse()?;
/// # tokio::spawn(async move {
/// #     let (mut stream, _) = listener.accept().await?;
/// #     stream.read(&mut [0; 4096]).await?;
/// #     stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi").await
/// # });
/// let metrics = PoolMetrics::new(&meter);
/// let judge = MeteredConnectorLayer::new(metrics.recorder().destination("judge"));
/// let client = reqwest::Client::builder().connector_layer(judge).build()?;
/// let mut client = ServiceBuilder::new().layer(InFlightLayer::new(&metrics)).service(client);
///
/// let response = client.call(reqwest::Request::new(reqwest::Method::GET, url)).await?;
/// assert_eq!(response.text().await?, "hi");
/// assert_eq!(metrics.destinations()[0].connected, 1);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "a layer does nothing until a connector is wrapped in it"]
pub struct MeteredConnectorLayer {
    destination: DestinationRecorder,
}

impl MeteredConnectorLayer {
    /// A layer whose connections count for one destination.
    pub fn new(destination: DestinationRecorder) -> Self {
        Self { destination }
    }
}

impl<C> Layer<C> for MeteredConnectorLayer {
    type Service = MeteredConnector<C>;

    fn layer(&self, connector: C) -> MeteredConnector<C> {
        MeteredConnector::new(connector, self.destination.clone())
    }
}
