use gym_telemetry_conventions::{Instrument, Kind, Tier, metrics};

/// Ours: the lag of the present moment, beside the histogram of what has ended.
pub(super) const CURRENT_LAG: Instrument = {
    let mut instrument = metrics::EVENT_LOOP_LAG_MS;
    instrument.name = "gym.event_loop.current_lag_ms";
    instrument.kind = Kind::GaugeF64;
    instrument.description = "How long a task that is ready has been waiting to run by now";
    instrument.boundaries = &[];
    instrument.tier = Tier::Beyond;
    instrument
};
