//! How much a store may hold.

use super::receipt::Refused;

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

/// What of the limits is used.
#[derive(Debug)]
pub(super) struct Budget {
    limits: Limits,
    series: usize,
    bytes: usize,
}

impl Budget {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, series: 0, bytes: 0 }
    }

    /// Makes room for one more series.
    pub(super) fn add(&mut self, bytes: usize) -> Result<(), Refused> {
        if self.series >= self.limits.series {
            return Err(Refused::TooManySeries(self.limits.series));
        }
        self.resize(0, bytes)?;
        self.series += 1;
        Ok(())
    }

    /// Makes room for a point of `after` bytes where one of `before` bytes was.
    pub(super) fn resize(&mut self, before: usize, after: usize) -> Result<(), Refused> {
        let bytes = self.bytes.saturating_sub(before).saturating_add(after);
        if after > before && bytes > self.limits.bytes {
            return Err(Refused::TooManyBytes(self.limits.bytes));
        }
        self.bytes = bytes;
        Ok(())
    }

    pub(super) fn series(&self) -> usize {
        self.series
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}
