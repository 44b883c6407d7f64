use std::collections::BTreeMap;

use gym_telemetry_conventions::{Outcome, RewardRange};
use proptest::{prelude::*, sample::select};

use super::*;
use crate::testing::Reader;

#[test]
fn rewards_fall_into_their_ranges() {
    let ranges = [-f64::INFINITY, -0.5, -0.0, 0.0, 0.3, 1.0, 1.5, f64::INFINITY].map(reward_range);
    use RewardRange::{AboveOne, Full, Negative, Partial, Zero};
    assert_eq!(ranges, [Negative, Negative, Zero, Zero, Partial, Full, AboveOne, AboveOne].map(Some));
    assert_eq!(reward_range(f64::NAN), None);
}

#[test]
fn an_outcome_carries_its_failure_in_bounded_words() {
    let reader = Reader::new();
    let rollouts = RolloutMetrics::with_settings(&reader.meter(), RolloutSettings::default().failure_kinds(["oom"]));
    let failure = Failure::new("agent_request_failed");
    rollouts.completed(Completed::failed("math", failure.kind("oom").error_type("VerifierTimeoutError")));
    rollouts.completed(Completed::failed("math", failure.kind("judge:busy").error_type("it took 3 s")));
    rollouts.completed(Completed::failed("math", failure.kind("a sentence")));
    rollouts.completed(Completed::failed("math", failure.kind("judge:it broke")));
    rollouts.completed(Completed::failed("math", failure.kind("it broke:busy")));
    rollouts.completed(Completed::failed("math", failure.kind("math-judge:busy")));
    rollouts.completed(Completed::omitted("math").failure(failure).reward(1.0));
    let seen = reader.collect();
    let count = |failure: &[(&str, &str)]| {
        let fixed = [("nemo.gym.rollout.outcome", "failed"), ("nemo.gym.rollout.dispatch.name", "math")];
        let class = [("nemo.gym.failure_class", "agent_request_failed")];
        seen.value("gym.rollout.completed_total", &[&fixed[..], &class[..], failure].concat())
    };
    let kind = "nemo.gym.failure_kind";
    assert_eq!(count(&[(kind, "oom"), ("nemo.gym.failure_type", "VerifierTimeoutError")]), Some(1.0));
    assert_eq!(count(&[(kind, "judge:busy")]), Some(1.0));
    assert_eq!(count(&[(kind, "math-judge:busy")]), Some(1.0));
    assert_eq!(count(&[(kind, "unregistered")]), Some(3.0));
    assert_eq!(seen.series("gym.rollout.completed_total"), 5);
    assert_eq!(seen.series("gym.rollout.rewarded_total"), 0);
}

#[test]
fn a_rollout_is_timed_even_when_it_panics() {
    let reader = Reader::new();
    let rollouts = RolloutMetrics::new(&reader.meter());
    drop(rollouts.start());
    let panicked = std::panic::catch_unwind(|| {
        let _timer = rollouts.start();
        std::panic::resume_unwind(Box::new("the agent broke"));
    });
    assert!(panicked.is_err());
    assert_eq!(reader.collect().histogram("gym.rollout.duration_ms", &[]).map(|seen| seen.0), Some(2));
}

/// What one dispatch is told to the recorder as.
#[derive(Debug, Clone)]
struct Dispatched {
    outcome: Outcome,
    dispatch: &'static str,
    failure: Option<(&'static str, Option<&'static str>)>,
    reward: Option<f64>,
    masked: bool,
}

fn dispatched() -> impl Strategy<Value = Dispatched> {
    let kind = prop::option::of(select(&["oom", "judge:busy", "it broke"][..]));
    let failure = prop::option::of((select(&["agent_request_failed", "verifier_failed"][..]), kind));
    let reward = prop::option::of(select(&[-1.0, -0.0, 0.0, 0.5, 1.0, 3.0, f64::NAN][..]));
    (select(Outcome::ALL), select(&["math", "code"][..]), failure, reward, any::<bool>()).prop_map(
        |(outcome, dispatch, failure, reward, masked)| Dispatched { outcome, dispatch, failure, reward, masked },
    )
}

impl Dispatched {
    fn completed(&self) -> Completed<'_> {
        let failure = self.failure.map(|(class, kind)| {
            let failure = Failure::new(class);
            kind.map_or(failure, |kind| failure.kind(kind))
        });
        let completed = match self.outcome {
            Outcome::Failed => Completed::failed(self.dispatch, failure.unwrap_or(Failure::new("unknown"))),
            Outcome::Omitted => Completed::omitted(self.dispatch),
            _ => Completed::scored(self.dispatch),
        };
        failure.map_or(completed, |failure| completed.failure(failure)).reward(self.reward).masked(self.masked)
    }

    /// The attributes of its outcome.
    fn attributes(&self) -> Vec<(&'static str, &'static str)> {
        let mut all = vec![
            ("nemo.gym.rollout.outcome", self.outcome.as_str()),
            ("nemo.gym.rollout.dispatch.name", self.dispatch),
        ];
        let unknown = (self.outcome == Outcome::Failed).then_some(("unknown", None));
        if let Some((class, kind)) = self.failure.or(unknown) {
            all.push(("nemo.gym.failure_class", class));
            let word = |kind| if kind == "it broke" { "unregistered" } else { kind };
            all.extend(kind.map(|kind| ("nemo.gym.failure_kind", word(kind))));
        }
        all
    }

    /// The attributes of its reward, if that counts.
    fn reward_attributes(&self) -> Option<Vec<(&'static str, &'static str)>> {
        let reward = self.reward.filter(|reward| self.outcome == Outcome::Scored && !reward.is_nan())?;
        let range = match reward {
            reward if reward < 0.0 => "negative",
            0.0 => "zero",
            reward if reward < 1.0 => "partial",
            1.0 => "full",
            _ => "above_one",
        };
        Some(vec![
            ("nemo.gym.rollout.reward.range", range),
            ("nemo.gym.rollout.dispatch.name", self.dispatch),
            ("nemo.gym.rollout.masked", if self.masked { "true" } else { "false" }),
        ])
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    /// Each dispatch counts once by all that is told of it, and its reward once where it has one.
    #[test]
    fn agrees_with_a_naive_model(all in prop::collection::vec(dispatched(), 0..60)) {
        let reader = Reader::new();
        let rollouts = RolloutMetrics::with_settings(&reader.meter(), RolloutSettings::default().failure_kinds(["oom"]));
        let mut completed: BTreeMap<_, u64> = BTreeMap::new();
        let mut rewarded: BTreeMap<_, u64> = BTreeMap::new();
        for dispatched in &all {
            rollouts.completed(dispatched.completed());
            *completed.entry(dispatched.attributes()).or_default() += 1;
            dispatched.reward_attributes().into_iter().for_each(|reward| *rewarded.entry(reward).or_default() += 1);
        }
        let seen = reader.collect();
        for (metric, expected) in [("completed", completed), ("rewarded", rewarded)] {
            let metric = format!("gym.rollout.{metric}_total");
            prop_assert_eq!(seen.series(&metric), expected.len());
            for (attributes, count) in expected {
                prop_assert_eq!(seen.value(&metric, &attributes), Some(count as f64));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]
    /// Whatever text is thrown at it, the number of series stays bounded and every attempt is counted.
    #[test]
    fn series_are_bounded(texts in prop::collection::vec((".*", "[a-z_]{1,8}", any::<f64>()), 3_000)) {
        let reader = Reader::new();
        let settings = RolloutSettings::default().dispatch_limit(200).failure_limit(1_000);
        let rollouts = RolloutMetrics::with_settings(&reader.meter(), settings);
        for (text, word, reward) in &texts {
            rollouts.completed(Completed::scored(text).reward(*reward));
            rollouts.completed(Completed::failed(word, Failure::new(text).kind(text).error_type(text)));
        }
        let seen = reader.collect();
        prop_assert!(seen.series("gym.rollout.completed_total") <= 3 * 201 + 1_000);
        prop_assert!(seen.series("gym.rollout.rewarded_total") <= 10 * 201);
        prop_assert_eq!(seen.total("gym.rollout.completed_total"), 6_000.0);
        let numbers = texts.iter().filter(|(.., reward)| !reward.is_nan()).count();
        prop_assert_eq!(seen.total("gym.rollout.rewarded_total"), numbers as f64);
    }
}
