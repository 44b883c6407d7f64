use gym_telemetry_core::DestinationRecorder;
use tower_layer::Layer;

use super::MeteredConnector;

/// Wraps connectors in a [`MeteredConnector`].
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
