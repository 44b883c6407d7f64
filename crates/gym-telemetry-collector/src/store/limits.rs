//! How much a store may hold.

use std::collections::BTreeMap;

use super::receipt::Refused;
use crate::model::Attributes;

/// How much a store may hold. What would exceed it is refused; what is held keeps being updated.
///
/// # Example
///
/// ```
/// use gym_telemetry_collector::{Limits, Store};
///
/// let store = Store::new(Limits::default().series(10_000).bytes(64 << 20));
/// assert_eq!((store.series(), store.bytes()), (0, 0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "limits do nothing until a store or a collector is made with them"]
pub struct Limits {
    series: usize,
    bytes: usize,
}

impl Limits {
    /// At most so many series, of all processes together. 200 000 unless said otherwise.
    pub fn series(self, series: usize) -> Self {
        Self { series, ..self }
    }

    /// At most so many bytes, as estimated from what the series and their attributes are made of. 256 MiB unless said
    /// otherwise.
    pub fn bytes(self, bytes: usize) -> Self {
        Self { bytes, ..self }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { series: 200_000, bytes: 256 << 20 }
    }
}

/// What of the limits is used, and by whom.
#[derive(Debug)]
pub(super) struct Budget {
    limits: Limits,
    used: Used,
    processes: BTreeMap<Attributes, Used>,
    /// Requests of all processes so far.
    requests: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Used {
    series: usize,
    bytes: usize,
    /// The latest request.
    request: u64,
}

impl Budget {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, used: Used::default(), processes: BTreeMap::new(), requests: 0 }
    }

    /// Notes that a process says something.
    pub(super) fn touch(&mut self, process: &Attributes) {
        self.requests += 1;
        match self.processes.get_mut(process) {
            Some(used) => used.request = self.requests,
            None => {
                let used = Used { request: self.requests, ..Used::default() };
                self.processes.insert(process.clone(), used);
            }
        }
    }

    /// Makes room for one more series.
    pub(super) fn add(&mut self, process: &Attributes, bytes: usize) -> Result<(), Refused> {
        if self.used.series >= self.limits.series {
            return Err(Refused::TooManySeries(self.limits.series));
        }
        self.resize(process, 0, bytes)?;
        self.used.series += 1;
        if let Some(used) = self.processes.get_mut(process) {
            used.series += 1;
        }
        Ok(())
    }

    /// Makes room for a point of `after` bytes where one of `before` bytes was.
    pub(super) fn resize(&mut self, process: &Attributes, before: usize, after: usize) -> Result<(), Refused> {
        let bytes = self.used.bytes.saturating_sub(before).saturating_add(after);
        if after > before && bytes > self.limits.bytes {
            return Err(Refused::TooManyBytes(self.limits.bytes));
        }
        self.used.bytes = bytes;
        if let Some(used) = self.processes.get_mut(process) {
            used.bytes = used.bytes.saturating_sub(before).saturating_add(after);
        }
        Ok(())
    }

    /// Takes back all that a process uses.
    pub(super) fn release(&mut self, process: &Attributes) {
        let used = self.processes.remove(process).unwrap_or_default();
        self.used.series = self.used.series.saturating_sub(used.series);
        self.used.bytes = self.used.bytes.saturating_sub(used.bytes);
    }

    pub(super) fn longest_silent_first(&self) -> Vec<Attributes> {
        let mut processes: Vec<_> = self.processes.iter().collect();
        processes.sort_by_key(|(_, used)| used.request);
        processes.into_iter().map(|(process, _)| process.clone()).collect()
    }

    pub(super) fn series(&self) -> usize {
        self.used.series
    }

    pub(super) fn bytes(&self) -> usize {
        self.used.bytes
    }
}
