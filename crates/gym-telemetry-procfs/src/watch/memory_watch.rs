use std::{
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    thread::{self, JoinHandle},
    time::Duration,
};

use gym_telemetry_core::{MemoryMetrics, MemorySample};

use super::{
    MemoryWatchBuilder, WatchError,
    sampler::Sampler,
    target::Target,
    worker::{Change, Worker},
};

/// Samples the memory of servers, the host and the container on a thread of its own, until it is stopped or dropped.
///
/// # Example
///
/// ```
/// use gym_telemetry_core::MemoryMetrics;
/// use gym_telemetry_procfs::MemoryWatch;
/// # use opentelemetry::metrics::MeterProvider as _;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
///
/// let watch = MemoryWatch::builder(MemoryMetrics::new(&meter))
///     .watch("policy", "responses_api_models", std::process::id())
///     .start()?;
/// // … the fleet runs …
/// let last = watch.stop();
/// assert!(last.servers[0].rss.current > Some(0));
/// # Ok(())
/// # }
/// ```
#[must_use = "dropping it stops the watch"]
pub struct MemoryWatch {
    metrics: MemoryMetrics,
    /// Where processes are found.
    proc: PathBuf,
    worker: Arc<Worker>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl MemoryWatch {
    /// A watch that reports through `metrics`.
    pub fn builder(metrics: MemoryMetrics) -> MemoryWatchBuilder {
        MemoryWatchBuilder::new(metrics)
    }

    pub(super) fn new(metrics: MemoryMetrics, proc: PathBuf, sampler: Sampler, interval: Duration) -> Self {
        Self { metrics, proc, worker: Arc::new(Worker::new(sampler, interval)), thread: Mutex::default() }
    }

    /// Starts to sample again after a [`stop`](Self::stop), with a first sample at once. A watch that runs goes on.
    ///
    /// # Errors
    ///
    /// When there is no thread to be had.
    pub fn start(&self) -> Result<(), WatchError> {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_none() {
            let worker = Arc::clone(&self.worker);
            worker.begin();
            let spawned = thread::Builder::new().name("gym-memory".to_owned()).spawn(move || worker.run());
            *thread = Some(spawned.map_err(WatchError::Thread)?);
        }
        Ok(())
    }

    /// Takes a last sample, ends the thread, and returns that sample, which stays reported until the recorder is
    /// dropped.
    ///
    /// It waits for a sample under way, which is a matter of milliseconds. Stopping again does nothing.
    pub fn stop(&self) -> Arc<MemorySample> {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = thread.take() {
            self.worker.end();
            if thread.join().is_err() {
                tracing::error!(target: "gym_telemetry", "the thread that samples memory panicked");
            }
        }
        self.latest()
    }

    /// Watches one more server, the process with this id and all below it, in the place of one with the same name. The
    /// next sample is the first to show it.
    ///
    /// A process that is not there is left out, which is said in the log.
    pub fn watch(&self, name: impl Into<String>, server_type: impl Into<String>, pid: u32) {
        if let Some(target) = Target::find(&self.proc, name.into(), server_type.into(), pid) {
            self.worker.change(Change::Add(target));
        }
    }

    /// Watches a server no more. One that has ended needs no such call.
    pub fn unwatch(&self, name: impl Into<String>) {
        self.worker.change(Change::Remove { name: name.into() });
    }

    /// The latest sample.
    #[must_use]
    pub fn latest(&self) -> Arc<MemorySample> {
        self.metrics.latest()
    }
}

impl Drop for MemoryWatch {
    fn drop(&mut self) {
        self.stop();
    }
}

impl fmt::Debug for MemoryWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryWatch").field("metrics", &self.metrics).finish_non_exhaustive()
    }
}
