use std::{sync::Arc, time::Duration};

use gym_telemetry_conventions::metrics;
use opentelemetry::metrics::{Histogram, Meter};

use super::{EventLoopProbe, series::Series};
use crate::{
    histogram::{Measure as _, Millis},
    report::Report,
    table::Table,
};

/// How many loops have series of their own. A process has a handful.
const DEFAULT_LOOP_LIMIT: usize = 64;

/// The name under which every loop beyond the limit is counted.
const OTHER_LOOP: &str = "<other>";

/// How long ready tasks wait: `gym.event_loop.lag_ms`, and `gym.event_loop.tasks` where tasks are counted.
///
/// Beyond the contract it reports, each with the attribute `nemo.gym.event_loop`:
///
/// | metric | unit | what |
/// | --- | --- | --- |
/// | `gym.event_loop.current_lag_ms` | ms | the wait that is going on, 0 when there is none |
/// | `gym.telemetry.event_loop.busy_ratio` | 1 | part of their time that workers were busy since the last export |
/// | `gym.telemetry.event_loop.queue_depth` | {task} | ready tasks in the queue that all workers share |
///
/// The last two come where someone tells them. Nothing of the present is reported of a loop that is watched no more.
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
    /// How long they were together.
    pub waited: Duration,
    /// The longest wait, the one that is going on included.
    pub worst_lag: Duration,
    /// The wait that is going on; none when no loop of this name is watched any more.
    pub current_lag: Option<Duration>,
    /// How many tasks there are, if that is counted.
    pub tasks: Option<u64>,
    /// How many ready tasks are in the queue that all workers share, if that is told.
    pub queue_depth: Option<u64>,
}

#[derive(Debug)]
struct Inner {
    loops: Table<Arc<Series>>,
    other: Arc<Series>,
    lag: Histogram<f64>,
}

impl EventLoopMetrics {
    /// A recorder whose series are reported through `meter`.
    pub fn new(meter: &Meter) -> Self {
        Self::with_loop_limit(meter, DEFAULT_LOOP_LIMIT)
    }

    /// The same, with series of their own for no more than `limit` names of loops; the default is 64.
    pub fn with_loop_limit(meter: &Meter, limit: usize) -> Self {
        let lag = Millis::build(meter, &metrics::EVENT_LOOP_LAG_MS);
        let other = Arc::new(Series::new(OTHER_LOOP, &lag));
        let inner = Arc::new(Inner { loops: Table::new(limit), other, lag });
        let report = Report::new(meter, &inner);
        report.on_collection(|inner| inner.series().for_each(|series| series.hand_over()));
        let gauge = |instrument, read: fn(&Series) -> Option<u64>| {
            report.gauge(instrument, move |inner: &Inner, observer| {
                let told = inner.series().filter_map(|series| Some((read(series)?, series)));
                told.for_each(|(value, series)| observer.observe(value, &series.attributes()));
            });
        };
        gauge(&metrics::EVENT_LOOP_TASKS, Series::tasks);
        gauge(&metrics::EVENT_LOOP_QUEUE_DEPTH, Series::queue_depth);
        let gauge = |instrument, read: fn(&Series) -> Option<f64>| {
            report.gauge_f64(instrument, move |inner: &Inner, observer| {
                let told = inner.series().filter_map(|series| Some((read(series)?, series)));
                told.for_each(|(value, series)| observer.observe(value, &series.attributes()));
            });
        };
        gauge(&metrics::EVENT_LOOP_CURRENT_LAG_MS, |series| series.current_lag().map(|lag| lag.as_secs_f64() * 1e3));
        gauge(&metrics::EVENT_LOOP_BUSY_RATIO, Series::take_busy_ratio);
        Self { inner }
    }

    /// A probe for a loop of this name (`nemo.gym.event_loop`).
    ///
    /// Loops of one name share its series: the samples of all, the longest of their waits, the sum of their tasks. What
    /// has a name beyond the limit is `<other>`.
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
