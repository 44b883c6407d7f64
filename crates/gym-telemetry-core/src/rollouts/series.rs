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
    dispatch: usize,
    outcome: Outcome,
    class: Box<str>,
    kind: Option<Box<str>>,
    error_type: Option<Box<str>>,
    count: Sharded<Count>,
}

/// What the series of a failure is found by.
struct Key<'a> {
    dispatch: usize,
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
        let index = self.dispatch(dispatch);
        let counts = || index.and_then(|index| self.dispatches.get(index)).unwrap_or(&self.other).counts.local();
        match failure {
            None => counts().completed[outcome.index()].add(1),
            Some(failure) => match index.and_then(|dispatch| self.failed(&Key { dispatch, outcome, failure })) {
                Some(failed) => failed.count.local().add(1),
                None => self.other.counts.local().completed[outcome.index()].add(1),
            },
        }
        if let Some(range) = reward.and_then(reward_range) {
            counts().rewarded[range.index()][usize::from(masked)].add(1);
        }
    }

    /// Where a dispatch name is counted; nowhere of its own beyond the limit.
    fn dispatch(&self, name: &str) -> Option<usize> {
        self.dispatches.index_or_insert(name, |dispatch| *dispatch.name == *name, || Dispatch::new(name))
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
                    give(count, &dispatch.completed_attributes(*outcome));
                }
            }
        }
        for failed in self.failures.iter() {
            let dispatch = self.dispatches.get(failed.dispatch).unwrap_or(&self.other);
            let mut all = dispatch.completed_attributes(failed.outcome).to_vec();
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
                    give(count, &dispatch.rewarded_attributes(range, masked));
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

    fn completed_attributes(&self, outcome: Outcome) -> [KeyValue; 2] {
        [
            KeyValue::new(attributes::ROLLOUT_OUTCOME.key, outcome.as_str()),
            KeyValue::new(attributes::ROLLOUT_DISPATCH_NAME.key, String::from(&*self.name)),
        ]
    }

    fn rewarded_attributes(&self, range: RewardRange, masked: bool) -> [KeyValue; 3] {
        [
            KeyValue::new(attributes::ROLLOUT_REWARD_RANGE.key, range.as_str()),
            KeyValue::new(attributes::ROLLOUT_DISPATCH_NAME.key, String::from(&*self.name)),
            KeyValue::new(attributes::ROLLOUT_MASKED.key, masked),
        ]
    }
}

impl Failed {
    fn new(key: &Key<'_>) -> Self {
        let Key { dispatch, outcome, failure: &Failure { class, kind, error_type } } = *key;
        Self {
            dispatch,
            outcome,
            class: class.into(),
            kind: kind.map(Into::into),
            error_type: error_type.map(Into::into),
            count: Sharded::new(Count::default),
        }
    }

    fn is(&self, key: &Key<'_>) -> bool {
        let Key { dispatch, outcome, failure: &Failure { class, kind, error_type } } = *key;
        (self.dispatch, self.outcome) == (dispatch, outcome)
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
    /// The words one after another. Marks of where they end, or are missing, would tell few more apart and take longer;
    /// so would the outcome.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Failure { class, kind, error_type } = *self.failure;
        [Some(class), kind, error_type].into_iter().flatten().for_each(|word| state.write(word.as_bytes()));
        state.write_usize(self.dispatch);
    }
}
