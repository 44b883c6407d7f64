//! Instruments beyond the contract.

use gym_telemetry_conventions::{Instrument, Kind, Tier, metrics};

/// An instrument of our own, made over from one of the contract: outside its crate there is no other way to make one.
pub(crate) const fn ours(name: &'static str, kind: Kind, unit: &'static str, description: &'static str) -> Instrument {
    let mut instrument = metrics::EVENT_LOOP_TASKS;
    instrument.name = name;
    instrument.kind = kind;
    instrument.unit = unit;
    instrument.description = description;
    instrument.tier = Tier::Beyond;
    instrument
}
