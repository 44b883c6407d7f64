use std::hash::{Hash, Hasher};

use gym_telemetry_conventions::{Outcome, RewardRange, attributes};
use opentelemetry::KeyValue;

use super::{Completed, Failure, RolloutSettings, reward_range};
use crate::{count::Count, shard::Sharded, table::Table};

/// The dispatch name under which everything beyond a limit is counted.
const OTHER: &str = "<other>";

/// How rollouts ended, by the name that they were dispatched under.
#[derive(Debug)]
pub(super) struct Endings {
    dispatches: Table<Dispatch>,
    other: Dispatch,
    failures: Table<Failed>,
    registered_kinds: Vec<String>,
}

/// What is counted under one dispatch name, of which words of failures are no part.
#[derive(Debug)]
struct Dispatch {
    name: Box<str>,
    counts: Sharded<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    /// Of rollouts without a failure, by outcome.
    completed: [Count; Outcome::ALL.len()],
    /// By range, unmasked and masked.
    rewarded: [[Count; 2]; RewardRange::ALL.len()],
}

/// The rollouts of a dispatch that ended in the same way, with the same failure.
#[derive(Debug)]
struct Failed {
    dispatch: Box<str>,
    outcome: Outcome,
    class: Box<str>,
    kind: Option<Box<str>>,
    error_type: Option<Box<str>>,
    count: Sharded<Count>,
}

/// What the series of a failure is found by.
struct Key<'a> {
    dispatch: &'a str,
    outcome: Outcome,
    failure: &'a Failure<'a>,
}

impl Endings {
    pub(super) fn new(settings: RolloutSettings) -> Self {
        Self {
            dispatches: Table::new(settings.dispatch_limit),
            other: Dispatch::new(OTHER),
            failures: Table::new(settings.failure_limit),
            registered_kinds: settings.failure_kinds,
        }
    }

    /// Counts one. It is read where it lies: to copy what the caller has just put together would wait for that.
    pub(super) fn add(&self, completed: &Completed<'_>) {
        let Completed { outcome, dispatch, ref failure, reward, masked } = *completed;
        let range = reward.and_then(reward_range);
        if let Some(failure) = failure {
            self.add_failed(&Key { dispatch, outcome, failure });
            if range.is_none() {
                return;
            }
        }
        let counts = self.dispatch(dispatch).counts.local();
        if failure.is_none() {
            counts.completed[outcome.index()].add(1);
        }
        if let Some(range) = range {
            counts.rewarded[range.index()][usize::from(masked)].add(1);
        }
    }

    fn add_failed(&self, key: &Key<'_>) {
        match self.failed(key) {
            Some(failed) => failed.count.local().add(1),
            None => self.other.counts.local().completed[key.outcome.index()].add(1),
        }
    }

    /// Where a dispatch name is counted.
    fn dispatch(&self, name: &str) -> &Dispatch {
        let dispatch = self.dispatches.get_or_insert(name, |dispatch| *dispatch.name == *name, || Dispatch::new(name));
        dispatch.unwrap_or(&self.other)
    }

    /// The series of a failure; none beyond the limit.
    fn failed(&self, key: &Key<'_>) -> Option<&Failed> {
        // The words of a series are safe: who finds one need not look at its own.
        self.failures.find(key, |failed| failed.is(key)).or_else(|| {
            let failure = &key.failure.bounded(&self.registered_kinds);
            let key = &Key { failure, ..*key };
            self.failures.get_or_insert(key, |failed| failed.is(key), || Failed::new(key))
        })
    }

    /// Gives each series of `gym.rollout.completed_total` that has counted anything.
    pub(super) fn completed(&self, give: impl Fn(u64, &[KeyValue])) {
        for dispatch in self.dispatches() {
            for outcome in Outcome::ALL {
                let count = dispatch.counts.sum(|counts| counts.completed[outcome.index()].get());
                if count > 0 {
                    give(count, &completed_attributes(*outcome, &dispatch.name));
                }
            }
        }
        for failed in self.failures.iter() {
            let mut all = completed_attributes(failed.outcome, &failed.dispatch).to_vec();
            all.extend(failed.words().map(|(key, word)| KeyValue::new(key, word.to_owned())));
            give(failed.count.sum(Count::get), &all);
        }
    }

    /// Gives each series of `gym.rollout.rewarded_total` that has counted anything.
    pub(super) fn rewarded(&self, give: impl Fn(u64, &[KeyValue])) {
        for dispatch in self.dispatches() {
            for (range, masked) in RewardRange::ALL.iter().flat_map(|range| [(*range, false), (*range, true)]) {
                let count = dispatch.counts.sum(|counts| counts.rewarded[range.index()][usize::from(masked)].get());
                if count > 0 {
                    give(count, &rewarded_attributes(range, &dispatch.name, masked));
                }
            }
        }
    }

    fn dispatches(&self) -> impl Iterator<Item = &Dispatch> {
        self.dispatches.iter().chain([&self.other])
    }
}

impl Dispatch {
    fn new(name: &str) -> Self {
        Self { name: name.into(), counts: Sharded::new(Counts::default) }
    }
}

impl Failed {
    fn new(key: &Key<'_>) -> Self {
        let Key { dispatch, outcome, failure: &Failure { class, kind, error_type } } = *key;
        Self {
            dispatch: dispatch.into(),
            outcome,
            class: class.into(),
            kind: kind.map(Into::into),
            error_type: error_type.map(Into::into),
            count: Sharded::new(Count::default),
        }
    }

    fn is(&self, key: &Key<'_>) -> bool {
        let Key { dispatch, outcome, failure: &Failure { class, kind, error_type } } = *key;
        self.outcome == outcome
            && *self.dispatch == *dispatch
            && *self.class == *class
            && self.kind.as_deref() == kind
            && self.error_type.as_deref() == error_type
    }

    /// The words that it has, each with its attribute's key.
    fn words(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let optional = [
            (attributes::FAILURE_CLASS.key, Some(&*self.class)),
            (attributes::FAILURE_KIND.key, self.kind.as_deref()),
            (attributes::FAILURE_TYPE.key, self.error_type.as_deref()),
        ];
        optional.into_iter().filter_map(|(key, word)| Some((key, word?)))
    }
}

impl Hash for Key<'_> {
    /// What tells most of them apart: a kind is of one class, as a rule. The outcome would only take longer, and so
    /// would marks of where words end or are missing.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Failure { class, kind, error_type } = *self.failure;
        let words = [self.dispatch, kind.unwrap_or(class), error_type.unwrap_or_default()];
        words.iter().for_each(|word| state.write(word.as_bytes()));
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
