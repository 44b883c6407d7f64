use gym_telemetry_conventions::{ConnectOutcome, QueueOutcome};

use super::destination::Series;

/// What has been counted of one destination.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DestinationSnapshot {
    /// The destination's name.
    pub name: String,
    /// How often a connection was asked for.
    pub attempts: u64,
    /// How often a caller had to wait for a slot and got one.
    pub queued: u64,
    /// How often a caller waited and gave up.
    pub abandoned: u64,
    /// New connections that stand or stood.
    pub connected: u64,
    /// New connections that failed.
    pub connect_failed: u64,
}

impl DestinationSnapshot {
    /// Effects are read before causes, so that no part is ever larger than the whole.
    pub(super) fn read(series: &Series) -> Self {
        let (connected, connect_failed) =
            (series.connects(ConnectOutcome::Ok), series.connects(ConnectOutcome::Failed));
        let (queued, abandoned) = (series.waits(QueueOutcome::Ok), series.waits(QueueOutcome::Abandoned));
        let attempts = series.attempts();
        Self { name: series.name().to_owned(), attempts, queued, abandoned, connected, connect_failed }
    }

    /// Which part of the attempts had to wait, between 0 and 1; nothing without attempts.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a fraction")]
    pub fn queued_fraction(&self) -> Option<f64> {
        (self.attempts > 0).then(|| (self.queued + self.abandoned) as f64 / self.attempts as f64)
    }
}
