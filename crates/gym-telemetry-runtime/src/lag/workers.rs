use std::time::{Duration, Instant};

use tokio::runtime::RuntimeMetrics;

use super::episode::Seen;

/// One worker of a multi-thread runtime, as tokio's own counts show it.
///
/// A worker publishes its counts whenever it parks, unparks, or has polled a few dozen tasks in a row. One that is not
/// parked and publishes nothing is within a poll, or a run of slow ones.
#[derive(Debug)]
pub(super) struct Worker {
    index: usize,
    published: Published,
    since: Instant,
    stalls: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Published {
    busy: Duration,
    /// Parkings and unparkings together: odd while the worker is parked.
    parkings: u64,
}

impl Worker {
    /// Every worker of a runtime that has several; where there is one, the runtime's own probe says it all.
    pub(super) fn all(metrics: &RuntimeMetrics) -> Vec<Self> {
        let workers = metrics.num_workers();
        let now = Instant::now();
        let worker = |index| Self { index, published: Published::read(metrics, index), since: now, stalls: false };
        if workers > 1 { (0..workers).map(worker).collect() } else { Vec::new() }
    }

    /// Looks at the worker again.
    pub(super) fn look(&mut self, metrics: &RuntimeMetrics) -> Seen {
        self.take_in(Published::read(metrics, self.index), Instant::now())
    }

    fn take_in(&mut self, published: Published, now: Instant) -> Seen {
        if published == self.published && !published.parked() {
            self.stalls = true;
            return Seen::Lasts(now.saturating_duration_since(self.since));
        }
        let stalled = std::mem::take(&mut self.stalls);
        let busy = published.busy.saturating_sub(self.published.busy);
        (self.published, self.since) = (published, now);
        if stalled { Seen::Ended(busy) } else { Seen::OnTime }
    }
}

impl Published {
    fn read(metrics: &RuntimeMetrics, index: usize) -> Self {
        Self { busy: metrics.worker_total_busy_duration(index), parkings: metrics.worker_park_unpark_count(index) }
    }

    fn parked(self) -> bool {
        self.parkings % 2 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// What each look finds, of a worker that has published these sums of busy time and parkings by then.
    fn looks(published: &[(u32, u64)]) -> Vec<Seen> {
        let start = Instant::now();
        let at = |(busy, parkings): (u32, u64)| Published { busy: MS * busy, parkings };
        let mut worker = Worker { index: 0, published: at(published[0]), since: start, stalls: false };
        let look = |(tick, now): (u32, &(u32, u64))| worker.take_in(at(*now), start + MS * 10 * (tick + 1));
        (0..).zip(&published[1..]).map(look).collect()
    }

    #[test]
    fn a_parked_worker_and_one_that_publishes_are_on_time() {
        assert_eq!(looks(&[(5, 7), (5, 7), (5, 7)]), [Seen::OnTime; 2]);
        assert_eq!(looks(&[(5, 6), (15, 6), (25, 6)]), [Seen::OnTime; 2]);
    }

    #[test]
    fn a_stall_grows_from_look_to_look_and_ends_with_its_length() {
        let stall = looks(&[(5, 7), (5, 8), (5, 8), (5, 8), (31, 9), (31, 9)]);
        let grows = [Seen::Lasts(MS * 10), Seen::Lasts(MS * 20)];
        assert_eq!(stall, [Seen::OnTime, grows[0], grows[1], Seen::Ended(MS * 26), Seen::OnTime]);
    }
}
