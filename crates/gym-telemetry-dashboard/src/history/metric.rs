//! What metrics there are.

use std::sync::Arc;

use gym_telemetry_collector::Kind;

/// One metric, of all processes that report it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MetricInfo {
    /// Its name.
    pub name: Arc<str>,
    /// What kind of number it is.
    pub kind: Kind,
    /// Its unit, or nothing.
    pub unit: Arc<str>,
    /// What it counts, in the words first sent with it.
    pub description: Arc<str>,
    /// The attribute keys that its series have, sorted; those of processes apart.
    pub attributes: Vec<String>,
    /// How many series of it are held.
    pub series: usize,
}
