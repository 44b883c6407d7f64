use std::sync::{Arc, OnceLock};

use gym_telemetry_conventions::{Instrument, metrics};
use opentelemetry::metrics::Meter;

use super::series::{LatestState, Series};
use crate::{report::Report, table::Table};

/// How many names of limits have series of their own.
const DEFAULT_NAME_LIMIT: usize = 1_000;

/// What limits beyond that are called.
const OTHER: LimitName<'static> = LimitName { component: "<other>", limit: "<other>", server: None };

/// Reports the concurrency limits of a process: `gym.concurrency.*`.
///
/// # Example
///
/// ```
/// use gym_telemetry_core::{ConcurrencyMetrics, LimitName, LimitState};
/// # use opentelemetry::metrics::MeterProvider as _;
/// # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
///
/// let concurrency = ConcurrencyMetrics::new(&meter);
/// let limit = concurrency.limit(LimitName::new("verifier", "subprocesses"));
/// limit.set(LimitState::new(4, 4, 2)); // all of four slots are held, and two callers wait
/// # drop(limit);
/// ```
#[derive(Debug, Clone)]
#[must_use = "dropping it ends its series"]
pub struct ConcurrencyMetrics {
    inner: Arc<Inner>,
}

/// The configured name of a limit. Limits of the same name are summed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[must_use = "it names a limit once it is given to a recorder"]
pub struct LimitName<'a> {
    pub(super) component: &'a str,
    pub(super) limit: &'a str,
    pub(super) server: Option<&'a str>,
}

/// What one limit reports with. Dropping it ends the limit; what it counted stays.
#[derive(Debug)]
#[must_use = "dropping it ends the limit"]
pub struct LimitRecorder {
    series: Arc<Series>,
    latest: Arc<LatestState>,
}

/// A limit at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LimitState {
    /// Slots that it is configured to have.
    pub slots: u64,
    /// Slots that are held. They may be more than there are, for a while after a limit was lowered.
    pub active: u64,
    /// Callers that wait.
    pub waiting: u64,
}

#[derive(Debug)]
struct Inner {
    names: Table<Arc<Series>>,
    other: OnceLock<Arc<Series>>,
}

impl ConcurrencyMetrics {
    /// A recorder whose series are reported through `meter`.
    pub fn new(meter: &Meter) -> Self {
        Self::with_name_limit(meter, DEFAULT_NAME_LIMIT)
    }

    /// The same, with series of their own for no more than `limit` names; the default is 1 000.
    pub fn with_name_limit(meter: &Meter, limit: usize) -> Self {
        let inner = Arc::new(Inner { names: Table::new(limit), other: OnceLock::new() });
        let report = Report::new(meter, &inner);
        report.on_collection(|inner| inner.iter().for_each(Series::collect));
        let gauge = |instrument: &'static Instrument, value: fn(LimitState) -> u64| {
            report.gauge(instrument, move |inner: &Inner, observer| {
                for (series, state) in inner.iter().filter_map(|series| Some((series, series.state()?))) {
                    observer.observe(value(state), &series.attributes());
                }
            });
        };
        gauge(&metrics::CONCURRENCY_LIMIT, |state| state.slots);
        gauge(&metrics::CONCURRENCY_ACTIVE, |state| state.active);
        gauge(&metrics::CONCURRENCY_AVAILABLE, |state| state.slots.saturating_sub(state.active));
        gauge(&metrics::CONCURRENCY_QUEUE_DEPTH, |state| state.waiting);
        let counter = |instrument: &'static Instrument, count: fn(&Series) -> Option<u64>| {
            report.counter(instrument, move |inner: &Inner, observer| {
                for (series, count) in inner.iter().filter_map(|series| Some((series, count(series)?))) {
                    observer.observe(count, &series.attributes());
                }
            });
        };
        counter(&metrics::CONCURRENCY_ADMISSION_TIMEOUTS_TOTAL, Series::timeouts);
        counter(&metrics::CONCURRENCY_ADMISSION_CANCELLED_TOTAL, |series| Some(series.cancelled.get()));
        Self { inner }
    }

    /// What the limit of this name reports with. It has no slots until it is told.
    pub fn limit(&self, name: LimitName<'_>) -> LimitRecorder {
        let own = self.inner.names.get_or_insert(&name, |series| series.is(name), || Arc::new(Series::new(name)));
        let other = || self.inner.other.get_or_init(|| Arc::new(Series::new(OTHER)));
        let series = Arc::clone(own.unwrap_or_else(other));
        LimitRecorder { latest: series.add(), series }
    }
}

impl<'a> LimitName<'a> {
    /// The limit called `limit` of a component, such as `verifier` and `subprocesses`.
    pub fn new(component: &'a str, limit: &'a str) -> Self {
        Self { component, limit, server: None }
    }

    /// Of the server with this name, in a process that holds several.
    pub fn server(mut self, server: &'a str) -> Self {
        self.server = Some(server);
        self
    }
}

impl LimitRecorder {
    /// Says that waits for this limit may run out of time, so that those that do are counted.
    pub fn expect_timeouts(&self) {
        self.series.expect_timeouts();
    }

    /// The limit's state as of now.
    #[inline]
    pub fn set(&self, state: LimitState) {
        self.latest.set(state);
    }

    /// A wait ran out of time.
    pub fn timed_out(&self) {
        self.series.timeouts.add(1);
    }

    /// A wait was cancelled before a slot was free.
    pub fn cancelled(&self) {
        self.series.cancelled.add(1);
    }
}

impl LimitState {
    /// A limit with this many slots, of which `active` are held, and `waiting` callers.
    #[must_use]
    pub fn new(slots: u64, active: u64, waiting: u64) -> Self {
        Self { slots, active, waiting }
    }
}

impl Inner {
    fn iter(&self) -> impl Iterator<Item = &Series> {
        self.names.iter().chain(self.other.get()).map(|series| &**series)
    }
}
