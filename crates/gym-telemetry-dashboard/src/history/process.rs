//! Processes and whether they still report.

use std::fmt;

use gym_telemetry_collector::Attributes;

/// A short name for one process, for as long as its history lives. Queries know it under the key `process`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessId(pub(super) u32);

impl ProcessId {
    /// Stands for the processes that are forgotten.
    pub(super) const GONE: Self = Self(u32::MAX);

    /// The number.
    pub fn get(self) -> u32 {
        self.0
    }
}

impl fmt::Display for ProcessId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::GONE { f.write_str("forgotten") } else { self.0.fmt(f) }
    }
}

/// Whether a process still reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProcessState {
    /// It exported not long ago.
    Reporting,
    /// It has said nothing for several of its own intervals, or is known to have ended.
    Gone,
}

/// One source of metrics, told from the others by its resource attributes.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Process {
    /// Its short name.
    pub id: ProcessId,
    /// What it says about itself; shared, so a clone costs nothing.
    pub resource: Attributes,
    /// When its first export arrived, in milliseconds since 1970.
    pub first_seen: u64,
    /// When its latest export arrived, in milliseconds since 1970.
    pub last_seen: u64,
    /// Whether it still reports.
    pub state: ProcessState,
    /// When a point of it last counted since an earlier time than the one before, in milliseconds since 1970: another
    /// process with the same attributes reports as well, and the two cannot be told apart.
    pub mixed: Option<u64>,
}
