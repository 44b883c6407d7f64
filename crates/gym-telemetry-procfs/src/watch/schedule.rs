use std::time::{Duration, Instant};

/// When samples are due: at every multiple of the interval since the start.
#[derive(Debug)]
pub(super) struct Schedule {
    next: Instant,
    interval: Duration,
}

impl Schedule {
    /// The sample at the start begins.
    pub(super) fn new(start: Instant, interval: Duration) -> Self {
        Self { next: start + interval, interval }
    }

    /// When the next sample is due.
    pub(super) fn next(&self) -> Instant {
        self.next
    }

    /// A sample has ended. Returns how many it ran past, which are left out.
    pub(super) fn ended(&mut self, now: Instant) -> u32 {
        let mut skipped = 0;
        if let Some(late) = now.checked_duration_since(self.next) {
            let past = late.as_nanos() / self.interval.as_nanos().max(1);
            skipped = u32::try_from(past).unwrap_or(u32::MAX).saturating_add(1);
            self.next += self.interval.saturating_mul(skipped);
        }
        skipped
    }

    /// The next sample begins.
    pub(super) fn begin(&mut self) {
        self.next += self.interval;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_that_overruns_skips_the_next() {
        let start = Instant::now();
        let at = |tenths: u32| start + Duration::from_millis(100) * tenths;
        let mut schedule = Schedule::new(start, Duration::from_secs(1));
        // When each sample ends, how many it skips, and when the next is due.
        for (ends, skips, next) in [(5, 0, 10), (21, 1, 30), (71, 4, 80), (81, 0, 90), (100, 1, 110)] {
            assert_eq!((schedule.ended(at(ends)), schedule.next()), (skips, at(next)), "ends after {ends} tenths");
            schedule.begin();
        }
    }
}
