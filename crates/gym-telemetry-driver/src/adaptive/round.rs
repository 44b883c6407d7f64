use std::time::Duration;

/// What is known of some rollouts that ran under one limit.
#[derive(Debug, Default)]
pub(super) struct Round {
    succeeded: u32,
    failed: u32,
    /// Sums over those who succeeded, in seconds and their squares.
    sum: f64,
    squares: f64,
    /// Whether anybody had to wait for the limit.
    pub(super) saturated: bool,
}

/// What is sure of a round's latency: its mean lies between these, in seconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Latency {
    pub(super) least: f64,
    pub(super) most: f64,
}

/// How many standard errors make us sure.
const SURE: f64 = 2.0;

impl Round {
    pub(super) fn succeeded(&mut self, latency: Duration) {
        let latency = latency.as_secs_f64();
        self.succeeded += 1;
        self.sum += latency;
        self.squares += latency * latency;
    }

    pub(super) fn failed(&mut self) {
        self.failed += 1;
    }

    pub(super) fn completed(&self) -> u32 {
        self.succeeded + self.failed
    }

    /// Which part of the rollouts failed.
    pub(super) fn failures(&self) -> f64 {
        f64::from(self.failed) / f64::from(self.completed().max(1))
    }

    /// The latency of those who succeeded; none if they are too few to tell.
    pub(super) fn latency(&self) -> Option<Latency> {
        let count = f64::from(self.succeeded);
        if count < 2.0 {
            return None;
        }
        let mean = self.sum / count;
        // Rounding may leave a little less than nothing.
        let variance = ((self.squares - self.sum * mean) / (count - 1.0)).max(0.0);
        let error = SURE * (variance / count).sqrt();
        Some(Latency { least: mean - error, most: mean + error })
    }
}
