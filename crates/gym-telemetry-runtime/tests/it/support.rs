//! Runtimes that can be blocked, and what a backend sees meanwhile.

use std::{
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use gym_telemetry_core::{EventLoopMetrics, EventLoopSnapshot};
use opentelemetry::metrics::{Meter, MeterProvider as _};
use opentelemetry_sdk::metrics::{
    InMemoryMetricExporter, PeriodicReader, SdkMeterProvider,
    data::{AggregatedMetrics, MetricData, ResourceMetrics},
};
use tokio::{
    runtime::{Builder, Handle, Runtime},
    sync::oneshot,
};

/// Longer than anything takes that is going to end at all.
const LONG: Duration = Duration::from_secs(60);

/// A current-thread runtime that a thread of its own drives until it is dropped.
pub(crate) struct Loop {
    pub(crate) handle: Handle,
    /// Both are there until the loop is dropped.
    end: Option<oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

/// A thread of a runtime that is kept from anything else until this is dropped.
pub(crate) struct Block {
    /// A moment at which it was.
    pub(crate) since: Instant,
    _release: mpsc::Sender<()>,
}

/// An exporter into memory, run by the SDK on a thread of its own.
pub(crate) struct Backend {
    pub(crate) provider: SdkMeterProvider,
    exporter: InMemoryMetricExporter,
}

impl Loop {
    pub(crate) fn new() -> Self {
        Self::driving(Builder::new_current_thread().build().unwrap())
    }

    pub(crate) fn driving(runtime: Runtime) -> Self {
        let handle = runtime.handle().clone();
        let (end, ended) = oneshot::channel();
        let thread = thread::spawn(move || drop(runtime.block_on(ended)));
        Self { handle, end: Some(end), thread: Some(thread) }
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        drop(self.end.take());
        self.thread.take().unwrap().join().unwrap();
    }
}

/// Blocks one thread of the runtime, and returns when it is blocked.
pub(crate) fn block(runtime: &Handle) -> Block {
    let (entered, wait) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    runtime.spawn(async move {
        entered.send(()).unwrap();
        let _ = released.recv();
    });
    wait.recv().unwrap();
    Block { since: Instant::now(), _release: release }
}

/// Waits until something holds.
pub(crate) fn until(what: &str, holds: impl Fn() -> bool) {
    let since = Instant::now();
    while !holds() {
        assert!(since.elapsed() < LONG, "waited in vain until {what}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// What is known of the loops of a name, if there is any.
pub(crate) fn find(event_loops: &EventLoopMetrics, name: &str) -> Option<EventLoopSnapshot> {
    event_loops.snapshot().into_iter().find(|seen| seen.name == name)
}

/// How many samples the loops of a name have given.
pub(crate) fn count(event_loops: &EventLoopMetrics, name: &str) -> u64 {
    find(event_loops, name).map_or(0, |seen| seen.samples)
}

/// The longest wait of the loops of a name.
pub(crate) fn longest(event_loops: &EventLoopMetrics, name: &str) -> Duration {
    find(event_loops, name).unwrap().worst_lag
}

/// The wait that is going on in the loops of a name; none when none of them is watched.
pub(crate) fn current(event_loops: &EventLoopMetrics, name: &str) -> Option<Duration> {
    find(event_loops, name).and_then(|seen| seen.current_lag)
}

/// How many tasks are counted in the loops of a name.
pub(crate) fn tasks(event_loops: &EventLoopMetrics, name: &str) -> Option<u64> {
    find(event_loops, name).and_then(|seen| seen.tasks)
}

impl Backend {
    /// One that exports when it is told to.
    pub(crate) fn new() -> Self {
        Self::every(Duration::from_secs(3_600))
    }

    pub(crate) fn every(interval: Duration) -> Self {
        let exporter = InMemoryMetricExporter::default();
        let reader = PeriodicReader::builder(exporter.clone()).with_interval(interval).build();
        Self { provider: SdkMeterProvider::builder().with_reader(reader).build(), exporter }
    }

    pub(crate) fn meter(&self) -> Meter {
        self.provider.meter("test")
    }

    /// The values of a gauge of one series in each export so far, oldest first.
    pub(crate) fn gauge(&self, metric: &str) -> Vec<f64> {
        self.exporter.get_finished_metrics().unwrap().iter().filter_map(|export| gauge(export, metric)).collect()
    }

    /// Exports, and returns the number and the sum of the samples of `gym.event_loop.lag_ms` so far.
    pub(crate) fn lag(&self) -> (u64, Duration) {
        self.provider.force_flush().unwrap();
        let exports = self.exporter.get_finished_metrics().unwrap();
        let seen = exports.last().and_then(|export| read(export, "gym.event_loop.lag_ms", histogram));
        seen.map_or((0, Duration::ZERO), |(count, sum)| (count, Duration::from_secs_f64(sum / 1e3)))
    }
}

fn read<T>(export: &ResourceMetrics, metric: &str, value: fn(&AggregatedMetrics) -> Option<T>) -> Option<T> {
    let mut metrics = export.scope_metrics().flat_map(|scope| scope.metrics());
    value(metrics.find(|found| found.name() == metric)?.data())
}

fn gauge(export: &ResourceMetrics, metric: &str) -> Option<f64> {
    read(export, metric, |data| match data {
        AggregatedMetrics::F64(MetricData::Gauge(gauge)) => gauge.data_points().next().map(|point| point.value()),
        AggregatedMetrics::U64(MetricData::Gauge(gauge)) => {
            gauge.data_points().next().map(|point| point.value() as f64)
        }
        _ => None,
    })
}

fn histogram(data: &AggregatedMetrics) -> Option<(u64, f64)> {
    match data {
        AggregatedMetrics::F64(MetricData::Histogram(histogram)) => {
            let mut points = histogram.data_points();
            points.next().map(|point| (point.count(), point.sum()))
        }
        _ => None,
    }
}
