use std::time::Duration;

use anyhow::Result;
use rustix::time::{ClockId, clock_gettime};

use super::{ingest, updates};
use crate::bench::{Bench, Findings};

/// The benchmark.
pub(crate) const BENCH: Bench = Bench {
    name: "dashboard",
    compared: &["axum", "hyper", "opentelemetry-proto", "tokio"],
    subjects: || Ok(Vec::new()),
    more: Some(more),
};

fn more(rounds: usize) -> Result<Findings> {
    [ingest::measure(), updates::measure(rounds)].into_iter().collect()
}

/// What this process has used of all processors.
pub(super) fn processor_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default()
}
