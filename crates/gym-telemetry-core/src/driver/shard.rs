use gym_telemetry_conventions::metrics;

use crate::{
    count::Level,
    histogram::{Amount, Buckets, Millis},
};

/// What one thread counts of a driver.
#[derive(Debug)]
pub(super) struct DriverShard {
    pub(super) resident: Level,
    pub(super) active: Level,
    pub(super) admission: Buckets<Millis>,
    pub(super) output_write_duration: Buckets<Millis>,
    pub(super) output_write_bytes: Buckets<Amount>,
    pub(super) materialize: Buckets<Millis>,
    pub(super) input_items: Buckets<Amount>,
    pub(super) output_items: Buckets<Amount>,
    pub(super) turns: Buckets<Amount>,
    pub(super) tool_calls: Buckets<Amount>,
}

impl DriverShard {
    pub(super) fn new() -> Self {
        Self {
            resident: Level::default(),
            active: Level::default(),
            admission: Buckets::new(&metrics::DRIVER_ADMISSION_DURATION_MS),
            output_write_duration: Buckets::new(&metrics::DRIVER_OUTPUT_WRITE_DURATION_MS),
            output_write_bytes: Buckets::new(&metrics::DRIVER_OUTPUT_WRITE_BYTES),
            materialize: Buckets::new(&metrics::DRIVER_MATERIALIZE_DURATION_MS),
            input_items: Buckets::new(&metrics::DRIVER_ROLLOUT_INPUT_ITEMS),
            output_items: Buckets::new(&metrics::DRIVER_ROLLOUT_OUTPUT_ITEMS),
            turns: Buckets::new(&metrics::DRIVER_ROLLOUT_TURNS),
            tool_calls: Buckets::new(&metrics::DRIVER_ROLLOUT_TOOL_CALLS),
        }
    }
}
