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
