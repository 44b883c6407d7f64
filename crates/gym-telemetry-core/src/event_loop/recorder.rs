use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use gym_telemetry_conventions::{Instrument, Kind, attributes, metrics};
use opentelemetry::{
    KeyValue,
    metrics::{Histogram, Meter},
};

use super::{
    EventLoopProbe,
    probe::{Live, nanos},
};
use crate::{
    count::Count,
    histogram::{Buckets, Handover, Measure as _, Millis},
    ours::ours,
    report::Report,
    table::Table,
};

const CURRENT_LAG: Instrument = ours(
    "gym.event_loop.current_lag_ms",
    Kind::GaugeF64,
    "ms",
    "How long a task that is ready has been waiting to run by now.",
);

/// How many loops have series of their own. A process has a handful.
const LIMIT: usize = 64;

/// The name under which every loop beyond the limit is counted.
const OTHER_LOOP: &str = "<other>";

/// How long ready tasks wait: `gym.event_loop.lag_ms`, `gym.event_loop.tasks`, and `gym.event_loop.current_lag_ms`,
/// which is ours: the wait that is going on, 0 when there is none.
///
/// # Example
///
/// ```
/// use gym_telemetry_core::EventLoopMetrics;
/// # use opentelemetry::metrics::MeterProvider as _;
/// # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
///
/// let event_loops = EventLoopMetrics::new(&meter);
/// let probe = event_loops.probe("server");
/// probe.ready(); // … and wake a task on the loop, which then says:
/// let lag = probe.ran().expect("it was ready");
/// assert_eq!(event_loops.snapshot()[0].worst_lag, lag);
/// ```
#[derive(Debug, Clone)]
#[must_use = "dropping it ends its series"]
pub struct EventLoopMetrics {
    inner: Arc<Inner>,
}

/// What is known of the loops of one name.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventLoopSnapshot {
    /// The loop's name (`nemo.gym.event_loop`).
    pub name: String,
    /// How many waits were measured.
    pub samples: u64,
    /// The longest wait, the one that is going on included.
    pub worst_lag: Duration,
    /// The wait that is going on; none when no loop of this name is watched any more.
    pub current_lag: Option<Duration>,
    /// How many tasks there are, if that is counted.
    pub tasks: Option<u64>,
}

#[derive(Debug)]
struct Inner {
    loops: Table<Arc<Series>>,
    other: Arc<Series>,
    lag: Histogram<f64>,
}

/// The loops of one name.
#[derive(Debug)]
pub(super) struct Series {
    name: Box<str>,
    lag: Buckets<Millis>,
    samples: Count,
    worst: AtomicU64,
    handover: Handover<Millis>,
    /// The loops that are watched now. The lock is held for moments, by those who watch or export.
    live: Mutex<Vec<Arc<Live>>>,
}

impl EventLoopMetrics {
    /// A recorder whose series are reported through `meter`.
    pub fn new(meter: &Meter) -> Self {
        let lag = Millis::build(meter, &metrics::EVENT_LOOP_LAG_MS);
        let other = Arc::new(Series::new(OTHER_LOOP, &lag));
        let inner = Arc::new(Inner { loops: Table::new(LIMIT), other, lag });
        let report = Report::new(meter, &inner);
        report.on_collection(|inner| inner.series().for_each(|series| series.handover.run([&series.lag].into_iter())));
        report.gauge_f64(&CURRENT_LAG, |inner, observer| {
            for series in inner.series() {
                if let Some(lag) = series.current_lag() {
                    observer.observe(lag.as_secs_f64() * 1e3, &series.attributes());
                }
            }
        });
        report.gauge(&metrics::EVENT_LOOP_TASKS, |inner, observer| {
            for series in inner.series() {
                if let Some(tasks) = series.tasks() {
                    observer.observe(tasks, &series.attributes());
                }
            }
        });
        Self { inner }
    }

    /// A probe for a loop of this name (`nemo.gym.event_loop`).
    ///
    /// Loops of one name share its series: the samples of all, the longest of their waits, the sum of their tasks. The
    /// first 64 names have series of their own; every other loop is `<other>`.
    pub fn probe(&self, name: &str) -> EventLoopProbe {
        let inner = &*self.inner;
        let known = |series: &Arc<Series>| *series.name == *name;
        let series = inner.loops.get_or_insert(name, known, || Arc::new(Series::new(name, &inner.lag)));
        EventLoopProbe::new(series.unwrap_or(&inner.other))
    }

    /// What is known now, by name in no order.
    #[must_use]
    pub fn snapshot(&self) -> Vec<EventLoopSnapshot> {
        self.inner.series().filter_map(|series| series.snapshot()).collect()
    }
}

impl Inner {
    fn series(&self) -> impl Iterator<Item = &Arc<Series>> {
        self.loops.iter().chain([&self.other])
    }
}

impl Series {
    fn new(name: &str, lag: &Histogram<f64>) -> Self {
        Self {
            name: name.into(),
            lag: Buckets::new(&metrics::EVENT_LOOP_LAG_MS),
            samples: Count::default(),
            worst: AtomicU64::new(0),
            handover: Handover::new(lag.clone(), vec![KeyValue::new(attributes::EVENT_LOOP.key, name.to_owned())]),
            live: Mutex::default(),
        }
    }

    pub(super) fn record(&self, lag: Duration) {
        self.lag.record_duration(lag);
        self.worst.fetch_max(nanos(lag), Ordering::Relaxed);
        self.samples.add(1);
    }

    pub(super) fn enter(&self, live: &Arc<Live>) {
        self.with_live(|all| all.push(Arc::clone(live)));
    }

    pub(super) fn leave(&self, live: &Arc<Live>) {
        self.with_live(|all| all.retain(|other| !Arc::ptr_eq(other, live)));
    }

    fn current_lag(&self) -> Option<Duration> {
        self.with_live(|all| all.iter().map(|live| live.lag()).max())
    }

    fn tasks(&self) -> Option<u64> {
        self.with_live(|all| all.iter().filter_map(|live| live.tasks()).reduce(|sum, tasks| sum + tasks))
    }

    fn attributes(&self) -> [KeyValue; 1] {
        [KeyValue::new(attributes::EVENT_LOOP.key, self.name.to_string())]
    }

    /// None for a name that nothing was ever watched under.
    fn snapshot(&self) -> Option<EventLoopSnapshot> {
        let (samples, current_lag) = (self.samples.get(), self.current_lag());
        (samples > 0 || current_lag.is_some()).then(|| EventLoopSnapshot {
            name: self.name.to_string(),
            samples,
            worst_lag: Duration::from_nanos(self.worst.load(Ordering::Relaxed)).max(current_lag.unwrap_or_default()),
            current_lag,
            tasks: self.tasks(),
        })
    }

    fn with_live<T>(&self, work: impl FnOnce(&mut Vec<Arc<Live>>) -> T) -> T {
        work(&mut self.live.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
