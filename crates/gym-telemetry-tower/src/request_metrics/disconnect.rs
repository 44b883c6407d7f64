use std::{sync::Arc, time::Instant};

use gym_telemetry_core::Cancelled;

use super::settings::Settings;

/// One disconnect of so many is in the log.
const SAMPLED: u64 = 100;

/// Says in the log that a client went away: of each if the layer was told to, else of every hundredth.
pub(super) fn log(cancelled: &Cancelled<Arc<Settings>>, began: Option<Instant>) {
    let (route, phase) = (cancelled.route(), cancelled.phase().as_str());
    if let Some(began) = began {
        let elapsed_seconds = began.elapsed().as_secs_f64();
        tracing::debug!(target: "gym_telemetry", status = 499, route, phase, elapsed_seconds, "client disconnected");
    } else if cancelled.nth().is_multiple_of(SAMPLED) {
        let disconnects = cancelled.nth();
        tracing::info!(target: "gym_telemetry", status = 499, route, disconnects, "client disconnected");
    }
}
