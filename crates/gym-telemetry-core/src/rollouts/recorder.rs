use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use gym_telemetry_conventions::{Outcome, RewardRange, attributes, metrics};
use opentelemetry::{KeyValue, metrics::Meter};

use super::{Completed, Failure, reward_range};
use crate::{
    count::Count,
    histogram::{Buckets, Millis},
    report::Report,
    shard::{Shard, Sharded},
    table::Table,
};

/// How many series `gym.rollout.completed_total` and `gym.rollout.rewarded_total` may have each.
const DEFAULT_SERIES_LIMIT: usize = 1_000;

/// The dispatch name under which everything beyond the limit of series is counted.
const OTHER_DISPATCH: &str = "<other>";

/// Counts rollouts: `gym.rollout.duration_ms` at the agent server, `gym.rollout.completed_total` and
/// `gym.rollout.rewarded_total` at the driver.
///
/// # Example
///
/// ```
/// use gym_telemetry_core::{Completed, Failure, RolloutMetrics};
/// # use opentelemetry::metrics::MeterProvider as _;
/// # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
///
/// let rollouts = RolloutMetrics::new(&meter);
/// rollouts.completed(Completed::scored("math").reward(0.5));
/// rollouts.completed(Completed::failed("math", Failure::new("agent_request_failed")));
///
/// let timer = rollouts.start(); // in the agent's `/run`: records when it is dropped, failures too
/// # drop(timer);
/// ```
#[derive(Debug, Clone)]
#[must_use = "dropping it ends its series"]
pub struct RolloutMetrics {
    inner: Arc<Inner>,
}

/// Times one rollout, and records it when dropped, however the rollout ended.
#[derive(Debug)]
#[must_use = "dropping it records the rollout's duration"]
pub struct RolloutTimer {
    duration: Shard<Buckets<Millis>>,
    started: Instant,
}

#[derive(Debug)]
struct Inner {
    duration: Arc<Sharded<Buckets<Millis>>>,
    completed: Table<CompletedSeries>,
    rewarded: Table<RewardedSeries>,
    /// What counts under [`OTHER_DISPATCH`], by outcome.
    completed_beyond: [Count; Outcome::ALL.len()],
    /// The same by reward range, unmasked and masked.
    rewarded_beyond: [[Count; 2]; RewardRange::ALL.len()],
    registered_kinds: Vec<String>,
}

#[derive(Debug)]
struct CompletedSeries {
    outcome: Outcome,
    dispatch: Box<str>,
    failure: Option<OwnedFailure>,
    count: Sharded<Count>,
}

/// The words of a [`Failure`] that a series keeps.
#[derive(Debug)]
struct OwnedFailure {
    class: Box<str>,
    kind: Option<Box<str>>,
    error_type: Option<Box<str>>,
}

#[derive(Debug)]
struct RewardedSeries {
    range: RewardRange,
    dispatch: Box<str>,
    masked: bool,
    count: Sharded<Count>,
}

impl RolloutMetrics {
    /// A recorder whose series are reported through `meter`, without failure kinds of its own.
    pub fn new(meter: &Meter) -> Self {
        Self::with_failure_kinds(meter, [])
    }

    /// The same, with failure kinds that may be counted under their own names beside `<server>:<kind>`.
    pub fn with_failure_kinds(meter: &Meter, kinds: impl IntoIterator<Item = String>) -> Self {
        let inner = Arc::new(Inner {
            duration: Arc::new(Sharded::new(|| Buckets::new(&metrics::ROLLOUT_DURATION_MS))),
            completed: Table::new(DEFAULT_SERIES_LIMIT),
            rewarded: Table::new(DEFAULT_SERIES_LIMIT),
            completed_beyond: Default::default(),
            rewarded_beyond: Default::default(),
            registered_kinds: kinds.into_iter().collect(),
        });
        Report::new(meter, &inner.duration).histogram(&metrics::ROLLOUT_DURATION_MS, |buckets| buckets);
        let report = Report::new(meter, &inner);
        report.counter(&metrics::ROLLOUT_COMPLETED_TOTAL, |inner, observer| {
            for series in inner.completed.iter() {
                observer.observe(series.count.sum(Count::get), &series.attributes());
            }
            for outcome in Outcome::ALL {
                let count = inner.completed_beyond[outcome.index()].get();
                if count > 0 {
                    observer.observe(count, &completed_attributes(*outcome, OTHER_DISPATCH));
                }
            }
        });
        report.counter(&metrics::ROLLOUT_REWARDED_TOTAL, |inner, observer| {
            for series in inner.rewarded.iter() {
                let attributes = rewarded_attributes(series.range, &series.dispatch, series.masked);
                observer.observe(series.count.sum(Count::get), &attributes);
            }
            for (range, masked) in RewardRange::ALL.iter().flat_map(|range| [(*range, false), (*range, true)]) {
                let count = inner.rewarded_beyond[range.index()][usize::from(masked)].get();
                if count > 0 {
                    observer.observe(count, &rewarded_attributes(range, OTHER_DISPATCH, masked));
                }
            }
        });
        Self { inner }
    }

    /// Starts to time one rollout.
    pub fn start(&self) -> RolloutTimer {
        RolloutTimer { duration: self.inner.duration.local().clone(), started: Instant::now() }
    }

    /// One rollout took this long.
    pub fn record_duration(&self, took: Duration) {
        self.inner.duration.local().record_duration(took);
    }

    /// One dispatch of one row ended, and the row was written or deliberately omitted: counts its outcome and, if it
    /// was scored with a numeric reward, its reward. Call it once a dispatch, however often the request was re-sent.
    pub fn completed(&self, completed: Completed<'_>) {
        let inner = &*self.inner;
        let Completed { outcome, dispatch, failure, reward, masked } = completed;
        let series = inner.completed(outcome, dispatch, failure);
        series.map_or(&inner.completed_beyond[outcome.index()], |series| series.count.local()).add(1);

        let Some(range) = reward.and_then(reward_range) else { return };
        let series = inner.rewarded.get_or_insert(
            &(range, dispatch, masked),
            |series| series.range == range && *series.dispatch == *dispatch && series.masked == masked,
            || RewardedSeries { range, dispatch: dispatch.into(), masked, count: Sharded::new(Count::default) },
        );
        let beyond = &inner.rewarded_beyond[range.index()][usize::from(masked)];
        series.map_or(beyond, |series| series.count.local()).add(1);
    }
}

impl Inner {
    /// The series of an outcome; none beyond the limit.
    fn completed(&self, outcome: Outcome, dispatch: &str, failure: Option<Failure<'_>>) -> Option<&CompletedSeries> {
        let known = |series: &CompletedSeries| series.is(outcome, dispatch, failure);
        // The words of a series are safe: who finds one need not look at its own.
        self.completed.find(&(outcome, dispatch, failure), known).or_else(|| {
            let failure = failure.map(|failure| failure.bounded(&self.registered_kinds));
            let is = |series: &CompletedSeries| series.is(outcome, dispatch, failure);
            let new = || CompletedSeries::new(outcome, dispatch, failure);
            self.completed.get_or_insert(&(outcome, dispatch, failure), is, new)
        })
    }
}

impl Drop for RolloutTimer {
    fn drop(&mut self) {
        self.duration.here().record_duration(self.started.elapsed());
    }
}

impl CompletedSeries {
    fn new(outcome: Outcome, dispatch: &str, failure: Option<Failure<'_>>) -> Self {
        let failure = failure.map(|failure| OwnedFailure {
            class: failure.class.into(),
            kind: failure.kind.map(Into::into),
            error_type: failure.error_type.map(Into::into),
        });
        Self { outcome, dispatch: dispatch.into(), failure, count: Sharded::new(Count::default) }
    }

    fn is(&self, outcome: Outcome, dispatch: &str, failure: Option<Failure<'_>>) -> bool {
        let own = self.failure.as_ref().map(OwnedFailure::borrow);
        self.outcome == outcome && *self.dispatch == *dispatch && own == failure
    }

    fn attributes(&self) -> Vec<KeyValue> {
        let mut all = completed_attributes(self.outcome, &self.dispatch).to_vec();
        if let Some(Failure { class, kind, error_type }) = self.failure.as_ref().map(OwnedFailure::borrow) {
            let mut add = |key, word: &str| all.push(KeyValue::new(key, word.to_owned()));
            add(attributes::FAILURE_CLASS.key, class);
            kind.into_iter().for_each(|kind| add(attributes::FAILURE_KIND.key, kind));
            error_type.into_iter().for_each(|name| add(attributes::FAILURE_TYPE.key, name));
        }
        all
    }
}

impl OwnedFailure {
    fn borrow(&self) -> Failure<'_> {
        Failure { class: &self.class, kind: self.kind.as_deref(), error_type: self.error_type.as_deref() }
    }
}

fn completed_attributes(outcome: Outcome, dispatch: &str) -> [KeyValue; 2] {
    [
        KeyValue::new(attributes::ROLLOUT_OUTCOME.key, outcome.as_str()),
        KeyValue::new(attributes::ROLLOUT_DISPATCH_NAME.key, dispatch.to_owned()),
    ]
}

fn rewarded_attributes(range: RewardRange, dispatch: &str, masked: bool) -> [KeyValue; 3] {
    [
        KeyValue::new(attributes::ROLLOUT_REWARD_RANGE.key, range.as_str()),
        KeyValue::new(attributes::ROLLOUT_DISPATCH_NAME.key, dispatch.to_owned()),
        KeyValue::new(attributes::ROLLOUT_MASKED.key, masked),
    ]
}
