use std::time::{Duration, Instant};

/// When samples are due: at the start and then at every multiple of the interval.
#[derive(Debug)]
pub(super) struct Schedule {
    next: Instant,
    interval: Duration,
}

impl Schedule {
    pub(super) fn new(start: Instant, interval: Duration) -> Self {
        Self { next: start + interval, interval }
    }

    /// The moment of the next sample.
    pub(super) fn next(&self) -> Instant {
        self.next
    }

    /// A sample ended now: returns how many moments it ran past, which are left out.
    pub(super) fn ended(&mut self, now: Instant) -> u64 {
        let late = now.saturating_duration_since(self.next);
        let skipped = match now < self.next {
            true => 0,
            false => late.as_nanos() / self.interval.as_nanos().max(1) + 1,
        };
        let skipped = u32::try_from(skipped).unwrap_or(u32::MAX);
        self.next += self.interval.saturating_mul(skipped);
        u64::from(skipped)
    }

    /// The moment has come.
    pub(super) fn begin(&mut self) {
        self.next += self.interval;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_sample_that_overruns_skips_the_next() {
        let start = Instant::now();
        let mut schedule = Schedule::new(start, SECOND);
        assert_eq!((schedule.ended(start + SECOND / 2), schedule.next()), (0, start + SECOND));
        schedule.begin();
        assert_eq!((schedule.ended(start + 2 * SECOND + SECOND / 10), schedule.next()), (1, start + 3 * SECOND));
        schedule.begin();
        assert_eq!((schedule.ended(start + 7 * SECOND + SECOND / 10), schedule.next()), (4, start + 8 * SECOND));
        schedule.begin();
        assert_eq!(schedule.ended(start + 8 * SECOND + SECOND / 10), 0);
    }
}
