use gym_telemetry_conventions::RewardRange;
use proptest::prelude::*;

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
    let rollouts = RolloutMetrics::with_failure_kinds(&reader.meter(), ["oom".to_owned()]);
    let failure = Failure::new("agent_request_failed");
    rollouts.completed(Completed::failed("math", failure.kind("oom").error_type("VerifierTimeoutError")));
    rollouts.completed(Completed::failed("math", failure.kind("judge:busy").error_type("it took 3 s")));
    rollouts.completed(Completed::failed("math", failure.kind("a sentence")));
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
    assert_eq!(count(&[(kind, "unregistered")]), Some(1.0));
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]
    /// Whatever text is thrown at it, the number of series stays bounded and every attempt is counted.
    #[test]
    fn series_are_bounded(texts in prop::collection::vec((".*", "[a-z_]{1,8}", any::<f64>()), 3_000)) {
        let reader = Reader::new();
        let rollouts = RolloutMetrics::new(&reader.meter());
        for (text, word, reward) in &texts {
            rollouts.completed(Completed::scored(text).reward(*reward));
            rollouts.completed(Completed::failed(word, Failure::new(text).kind(text).error_type(text)));
        }
        let seen = reader.collect();
        prop_assert!(seen.series("gym.rollout.completed_total") <= 1_003);
        prop_assert!(seen.series("gym.rollout.rewarded_total") <= 1_010);
        prop_assert_eq!(seen.total("gym.rollout.completed_total"), 6_000.0);
        let numbers = texts.iter().filter(|(.., reward)| !reward.is_nan()).count();
        prop_assert_eq!(seen.total("gym.rollout.rewarded_total"), numbers as f64);
    }
}
