use gym_telemetry_core::EventLoopProbe;
use tokio::runtime::Handle;
use tokio_metrics::{RuntimeIntervals, RuntimeMonitor};

/// What tokio's scheduler tells of itself, from look to look.
#[derive(Debug)]
pub(super) struct Scheduler(RuntimeIntervals);

impl Scheduler {
    pub(super) fn new(runtime: &Handle) -> Self {
        Self(RuntimeMonitor::new(runtime).intervals())
    }

    pub(super) fn report(&mut self, probe: &EventLoopProbe) {
        let Some(interval) = self.0.next() else { return };
        let workers = u32::try_from(interval.workers_count).unwrap_or(u32::MAX);
        probe.add_busy(interval.total_busy_duration, interval.elapsed.saturating_mul(workers));
        probe.set_queue_depth(interval.global_queue_depth as u64);
    }
}
