use std::{
    io,
    sync::mpsc::{self, Sender},
    thread::JoinHandle,
};

use gym_telemetry_core::EventLoopMetrics;
use tokio::runtime::Handle;

use super::{LagSettings, thread, watched::Watched};

/// Watches any number of runtimes from one thread of its own: `gym.event_loop.lag_ms`.
///
/// At each interval the thread wakes a task on each runtime, and the task times how long it waited to run. The timer
/// of the runtime has no part in it, and nothing has to run on a runtime for its lag to be seen growing.
///
/// # What one sample means
///
/// On a current-thread runtime: how long a task that was woken from outside waited for the thread. A runtime that
/// nobody drives, between two `block_on`, lags.
///
/// On a multi-thread runtime: how long such a task waited until *any* worker took it. It grows when all are busy. One
/// blocked worker among idle ones does not show in it, though tasks may wait in that worker's own queue: watch
/// [each worker](LagSettings::each_worker) to see that.
///
/// # While a loop is stuck
///
/// A task that has not run by the next look is overdue. From then on the wait so far is in
/// [`EventLoopMetrics::snapshot`] and in `gym.event_loop.current_lag_ms`. It is the same wait until it ends, then one
/// sample of its true length and one warning in the log; no sample is made up for the looks in between.
///
/// # When it ends
///
/// Dropping the watcher ends its thread before `drop` returns, and its tasks as soon as their runtimes get to them. A
/// runtime that ends first takes its task along, and the watcher forgets it at the next look.
///
/// # Example
///
/// ```
/// use gym_telemetry_core::EventLoopMetrics;
/// use gym_telemetry_runtime::LagWatcher;
/// # use opentelemetry::metrics::MeterProvider as _;
///
/// # fn main() -> std::io::Result<()> {
/// # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
/// let event_loops = EventLoopMetrics::new(&meter);
/// let watcher = LagWatcher::new(event_loops.clone())?;
/// let runtime = tokio::runtime::Runtime::new()?;
/// watcher.watch("server", runtime.handle());
/// assert_eq!(event_loops.snapshot()[0].name, "server");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "dropping it ends the watch"]
pub struct LagWatcher {
    event_loops: EventLoopMetrics,
    settings: LagSettings,
    /// Both are there until the watcher is dropped.
    to_thread: Option<Sender<Watched>>,
    thread: Option<JoinHandle<()>>,
}

impl LagWatcher {
    /// A watcher with the [default settings](LagSettings::new).
    ///
    /// # Errors
    ///
    /// The system's error if it gives no thread.
    pub fn new(event_loops: EventLoopMetrics) -> io::Result<Self> {
        Self::with_settings(event_loops, LagSettings::new())
    }

    /// A watcher with these settings.
    ///
    /// # Errors
    ///
    /// The system's error if it gives no thread.
    pub fn with_settings(event_loops: EventLoopMetrics, settings: LagSettings) -> io::Result<Self> {
        let (to_thread, inbox) = mpsc::channel();
        let interval = settings.interval;
        let builder = std::thread::Builder::new().name("gym-telemetry-lag".to_owned());
        let thread = builder.spawn(move || thread::run(interval, &inbox))?;
        Ok(Self { event_loops, settings, to_thread: Some(to_thread), thread: Some(thread) })
    }

    /// Watches a runtime under this name (`nemo.gym.event_loop`), from any thread, until either ends.
    pub fn watch(&self, name: &str, runtime: &Handle) {
        let watched = Watched::new(name, self.event_loops.probe(name), runtime, &self.settings);
        if let Some(thread) = &self.to_thread {
            // The thread listens for as long as there is a sender.
            let _ = thread.send(watched);
        }
    }
}

impl Drop for LagWatcher {
    fn drop(&mut self) {
        drop(self.to_thread.take());
        if let Some(thread) = self.thread.take() {
            // It ended by a panic, or as it should: either way it is gone.
            let _ = thread.join();
        }
    }
}
