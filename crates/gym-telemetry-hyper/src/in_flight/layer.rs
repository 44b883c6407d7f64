use gym_telemetry_core::PoolRecorder;
use tower_layer::Layer;

use super::InFlight;

/// Wraps clients in [`InFlight`].
#[derive(Debug, Clone)]
#[must_use = "a layer does nothing until a client is wrapped in it"]
pub struct InFlightLayer {
    recorder: PoolRecorder,
}

impl InFlightLayer {
    /// A layer that counts with this recorder.
    pub fn new(recorder: impl Into<PoolRecorder>) -> Self {
        Self { recorder: recorder.into() }
    }
}

impl<S> Layer<S> for InFlightLayer {
    type Service = InFlight<S>;

    fn layer(&self, client: S) -> InFlight<S> {
        InFlight::new(client, self.recorder.clone())
    }
}
