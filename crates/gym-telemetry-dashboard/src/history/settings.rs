//! How much of the past is held.

use std::time::Duration;

use gym_telemetry_collector::Limits;

/// How much of the past is held, and in what detail.
///
/// # Example
///
/// ```
/// use std::time::Duration;
///
/// use gym_telemetry_dashboard::history::{History, Settings};
///
/// let history = History::new(Settings::new().retention(Duration::from_secs(600)).max_series(10_000));
/// assert!(history.metrics().is_empty());
/// ```
#[derive(Debug, Clone)]
#[must_use = "settings do nothing until a history is made with them"]
pub struct Settings {
    pub(super) retention: Duration,
    pub(super) resolution: Duration,
    pub(super) max_series: usize,
    pub(super) max_bytes: usize,
    pub(super) gone_after: u32,
}

impl Settings {
    /// An hour, and up to 200 000 series; as much room as an hour of 100 000 needs.
    pub fn new() -> Self {
        Self {
            retention: Duration::from_secs(3600),
            resolution: Duration::from_secs(1),
            max_series: 200_000,
            max_bytes: 288 << 20,
            gone_after: 5,
        }
    }

    /// How far back it reaches. An hour unless said otherwise.
    pub fn retention(self, retention: Duration) -> Self {
        Self { retention, ..self }
    }

    /// How close together two points of a series may lie and still be told apart, at least a millisecond. A second
    /// unless said otherwise.
    pub fn resolution(self, resolution: Duration) -> Self {
        Self { resolution: resolution.max(Duration::from_millis(1)), ..self }
    }

    /// At most so many series, of all processes together. 200 000 unless said otherwise.
    pub fn max_series(self, max_series: usize) -> Self {
        Self { max_series, ..self }
    }

    /// At most so many bytes of compressed points. A series that would exceed it gives up the oldest of its own past
    /// first; one that has none left is refused. 288 MiB unless said otherwise,
    /// which with all else that is held of 100 000 series stays below 500 MB.
    pub fn max_bytes(self, max_bytes: usize) -> Self {
        Self { max_bytes, ..self }
    }

    /// After how many of its own export intervals a process that says nothing is gone, and a series that is missing
    /// from its exports over. At least one; 5 unless said otherwise.
    pub fn gone_after(self, gone_after: u32) -> Self {
        Self { gone_after: gone_after.max(1), ..self }
    }

    /// The same bounds for the collector in front, which tells senders what it refuses.
    pub fn limits(&self) -> Limits {
        Limits::default().series(self.max_series)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::new()
    }
}
