//! Instruments beyond the contract: what the kernel tells beyond it, and what the sampling itself costs.

use gym_telemetry_conventions::{Instrument, Kind, boundaries};

use crate::ours::ours;

/// Whether some or all tasks waited.
pub(super) const PRESSURE_SHARE: &str = "memory.pressure.share";

/// The window that an average is over.
pub(super) const PRESSURE_WINDOW: &str = "memory.pressure.window";

pub(super) const CONTAINER_USAGE: Instrument =
    bytes("container.memory.usage", "Memory of the control group whose limit binds, page cache included.");

pub(super) const CONTAINER_LIMIT: Instrument =
    bytes("container.memory.limit", "The limit that binds; absent where none is below the host's memory.");

pub(super) const CONTAINER_PEAK: Instrument =
    bytes("container.memory.peak", "Most memory that the kernel saw the control group hold.");

pub(super) const CONTAINER_OOM_KILLS: Instrument = ours(
    "container.memory.oom_kills_total",
    Kind::ObservableCounterU64,
    "{process}",
    "Processes of the control group that the kernel killed for want of memory.",
);

pub(super) const CONTAINER_PRESSURE: Instrument =
    fraction("container.memory.pressure", "Share of the time in which tasks of the control group waited for memory.");

pub(super) const HOST_PRESSURE: Instrument =
    fraction("gym.host.memory.pressure", "Share of the time in which tasks of the host waited for memory.");

pub(super) const PSS_AGE: Instrument = ours(
    "gym.telemetry.memory.pss_age_ms",
    Kind::ObservableGaugeU64,
    "ms",
    "Age of the oldest reading in a server's proportional memory.",
);

pub(super) const SAMPLES_SKIPPED: Instrument = ours(
    "gym.telemetry.memory.samples_skipped_total",
    Kind::ObservableCounterU64,
    "{sample}",
    "Samples that were left out because the one before took longer than the interval.",
);

pub(super) const SAMPLE_DURATION: Instrument = {
    let what = "Time that one sample of the memory of all servers, the host and the container took.";
    let mut instrument = ours("gym.telemetry.memory.sample_duration_ms", Kind::HistogramF64, "ms", what);
    instrument.boundaries = boundaries::GC_MS;
    instrument
};

const fn bytes(name: &'static str, description: &'static str) -> Instrument {
    ours(name, Kind::ObservableGaugeU64, "By", description)
}

const fn fraction(name: &'static str, description: &'static str) -> Instrument {
    ours(name, Kind::GaugeF64, "1", description)
}
