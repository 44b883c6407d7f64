use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use gym_telemetry_core::EventLoopProbe;
use tokio::{
    runtime::{Handle, RuntimeMetrics},
    sync::Notify,
    task::JoinHandle,
};

#[cfg(feature = "tokio-metrics")]
use super::scheduler::Scheduler;
use super::{
    LagSettings,
    episode::{Episode, Seen},
    workers::Worker,
};

/// One runtime under watch: its probe task, and what is known of it from look to look.
#[derive(Debug)]
pub(super) struct Watched {
    name: Box<str>,
    probe: Arc<EventLoopProbe>,
    wake: Arc<Notify>,
    task: JoinHandle<()>,
    /// It keeps the runtime's shared state alive, so it goes when the runtime ends.
    metrics: RuntimeMetrics,
    workers: Vec<Worker>,
    #[cfg(feature = "tokio-metrics")]
    scheduler: Option<Scheduler>,
    count_tasks: bool,
    late: bool,
    episode: Episode,
    warn_after: Duration,
}

impl Watched {
    pub(super) fn new(name: &str, probe: EventLoopProbe, runtime: &Handle, settings: &LagSettings) -> Self {
        let probe = Arc::new(probe);
        let wake = Arc::new(Notify::new());
        let task = runtime.spawn(run_when_woken(Arc::downgrade(&probe), Arc::clone(&wake)));
        let metrics = runtime.metrics();
        Self {
            name: name.into(),
            probe,
            wake,
            task,
            workers: if settings.each_worker { Worker::all(&metrics) } else { Vec::new() },
            metrics,
            #[cfg(feature = "tokio-metrics")]
            scheduler: settings.scheduler.then(|| Scheduler::new(runtime)),
            count_tasks: settings.tasks,
            late: false,
            episode: Episode::default(),
            warn_after: settings.warn_after,
        }
    }

    /// Looks at the runtime, and wakes its task if that is not still on its way. Returns whether there is anything
    /// left to watch.
    pub(super) fn look(&mut self) -> bool {
        if self.task.is_finished() {
            return false;
        }
        // Before our own task joins the queue.
        #[cfg(feature = "tokio-metrics")]
        if let Some(scheduler) = &mut self.scheduler {
            scheduler.report(&self.probe);
        }
        let probe = self.look_at_probe();
        let workers: Vec<_> = self.workers.iter_mut().map(|worker| worker.look(&self.metrics)).collect();
        self.report(&workers);
        if let Some(longest) = self.episode.take_in(workers.into_iter().chain([probe])) {
            self.warn(longest, "tasks of an event loop waited");
        }
        if self.count_tasks {
            // Our own task is none of the application's.
            self.probe.set_tasks(self.metrics.num_alive_tasks().saturating_sub(1) as u64);
        }
        true
    }

    fn look_at_probe(&mut self) -> Seen {
        if let Some(lag) = self.probe.waiting() {
            self.late = true;
            return Seen::Lasts(lag);
        }
        let was_late = std::mem::take(&mut self.late);
        let seen = self.probe.last().filter(|_| was_late).map_or(Seen::OnTime, Seen::Ended);
        self.probe.ready();
        self.wake.notify_one();
        seen
    }

    fn report(&self, workers: &[Seen]) {
        let mut longest = None;
        for seen in workers {
            match *seen {
                Seen::OnTime => {}
                Seen::Lasts(stall) => longest = longest.max(Some(stall)),
                Seen::Ended(stall) => self.probe.record(stall),
            }
        }
        self.probe.stalled(longest);
    }

    fn warn(&self, longest: Duration, message: &str) {
        if longest >= self.warn_after {
            let lag_ms = longest.as_secs_f64() * 1e3;
            tracing::warn!(target: "gym_telemetry", event_loop = &*self.name, lag_ms, "{message}");
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.task.abort();
        if let Some(longest) = self.episode.end() {
            let since = self.probe.waiting().or(self.probe.last()).unwrap_or_default();
            self.warn(longest.max(since), "tasks of an event loop waited, and the watch ended");
        }
    }
}

/// The probe's task. It does not keep the probe alive: a runtime that is stuck may keep the task for long after.
async fn run_when_woken(probe: Weak<EventLoopProbe>, wake: Arc<Notify>) {
    loop {
        wake.notified().await;
        let Some(probe) = probe.upgrade() else { return };
        probe.ran();
    }
}
