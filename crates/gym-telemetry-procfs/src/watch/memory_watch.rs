use std::{
    fmt,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use gym_telemetry_core::{MemoryMetrics, MemorySample};

use super::{MemoryWatchBuilder, WatchError, sampler::Sampler, schedule::Schedule};

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
    interval: Duration,
    shared: Arc<Shared>,
    phase: Mutex<Phase>,
}

/// Where the sampler is: with its thread while that runs.
enum Phase {
    Stopped(Box<Sampler>),
    Running(JoinHandle<Box<Sampler>>),
    /// Its thread panicked, or is being started.
    Lost,
}

#[derive(Default)]
struct Shared {
    orders: Mutex<Orders>,
    changed: Condvar,
}

/// What the thread is to do with the next sample.
#[derive(Default)]
struct Orders {
    stop: bool,
    changes: Vec<Change>,
}

enum Change {
    Add { name: String, server_type: String, pid: u32 },
    Remove { name: String },
}

impl MemoryWatch {
    /// A watch that reports through `metrics`.
    pub fn builder(metrics: MemoryMetrics) -> MemoryWatchBuilder {
        MemoryWatchBuilder::new(metrics)
    }

    pub(super) fn new(metrics: MemoryMetrics, sampler: Sampler, interval: Duration) -> Self {
        let phase = Mutex::new(Phase::Stopped(Box::new(sampler)));
        Self { metrics, interval, shared: Arc::default(), phase }
    }

    /// Starts to sample again after a stop. While it samples, this does nothing.
    ///
    /// # Errors
    ///
    /// When there is no thread to be had.
    pub fn start(&self) -> Result<(), WatchError> {
        let mut phase = lock(&self.phase);
        match std::mem::replace(&mut *phase, Phase::Lost) {
            Phase::Stopped(sampler) => {
                lock(&self.shared.orders).stop = false;
                let (shared, metrics, interval) = (Arc::clone(&self.shared), self.metrics.clone(), self.interval);
                let thread = thread::Builder::new().name("gym-memory".to_owned());
                let thread = thread.spawn(move || run(sampler, &shared, &metrics, interval));
                *phase = Phase::Running(thread.map_err(WatchError::Thread)?);
            }
            other => *phase = other,
        }
        Ok(())
    }

    /// Takes a last sample, ends the thread, and returns the sample, which stays reported until the recorder is dropped.
    ///
    /// It waits for a sample under way, which is a matter of milliseconds. Stopping twice does nothing more.
    pub fn stop(&self) -> Arc<MemorySample> {
        let mut phase = lock(&self.phase);
        match std::mem::replace(&mut *phase, Phase::Lost) {
            Phase::Running(thread) => {
                lock(&self.shared.orders).stop = true;
                self.shared.changed.notify_all();
                match thread.join() {
                    Ok(sampler) => *phase = Phase::Stopped(sampler),
                    Err(_) => tracing::error!(target: "gym_telemetry", "the thread that samples memory panicked"),
                }
            }
            other => *phase = other,
        }
        self.metrics.latest()
    }

    /// Watches one more server from the next sample on, in the place of one with the same name.
    pub fn watch(&self, name: impl Into<String>, server_type: impl Into<String>, pid: u32) {
        let (name, server_type) = (name.into(), server_type.into());
        lock(&self.shared.orders).changes.push(Change::Add { name, server_type, pid });
    }

    /// Watches this server no more. One that ends is forgotten without it.
    pub fn unwatch(&self, name: impl Into<String>) {
        lock(&self.shared.orders).changes.push(Change::Remove { name: name.into() });
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
        f.debug_struct("MemoryWatch").field("interval", &self.interval).finish_non_exhaustive()
    }
}

/// Samples at once, then at every interval, and once more when told to stop.
fn run(mut sampler: Box<Sampler>, shared: &Shared, metrics: &MemoryMetrics, interval: Duration) -> Box<Sampler> {
    let mut schedule = Schedule::new(Instant::now(), interval);
    let mut late = false;
    loop {
        let stop = sample(&mut sampler, shared);
        if stop {
            return sampler;
        }
        let skipped = schedule.ended(Instant::now());
        if skipped > 0 {
            metrics.skipped(skipped);
            if !late {
                tracing::warn!(target: "gym_telemetry", skipped, "a sample of memory took longer than the interval");
            }
        }
        late = skipped > 0;
        wait(shared, schedule.next());
        schedule.begin();
    }
}

/// Does as told and takes a sample. Returns whether it was the last one.
fn sample(sampler: &mut Sampler, shared: &Shared) -> bool {
    let Orders { stop, changes } = {
        let mut orders = lock(&shared.orders);
        Orders { stop: orders.stop, changes: std::mem::take(&mut orders.changes) }
    };
    for change in changes {
        match change {
            Change::Add { name, server_type, pid } => sampler.add(&name, &server_type, pid),
            Change::Remove { name } => sampler.remove(&name),
        }
    }
    sampler.sample();
    stop
}

/// Waits for a moment, or for the order to stop.
fn wait(shared: &Shared, until: Instant) {
    let mut orders = lock(&shared.orders);
    while !orders.stop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        orders = shared.changed.wait_timeout(orders, left).map_or_else(|e| e.into_inner().0, |(orders, _)| orders);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
