use std::collections::BTreeMap;

use gym_telemetry_conventions::{HealthCheck, HealthVerdict, Outcome};
use proptest::{prelude::*, sample::select};

use super::*;
use crate::testing::Reader;

/// The outcome of one rollout, what flagged it, however often, and what could not run.
type Evaluated = (Outcome, Vec<HealthCheck>, Vec<HealthCheck>);

fn evaluated() -> impl Strategy<Value = Evaluated> {
    let checks = || prop::collection::vec(select(HealthCheck::ALL), 0..4);
    (select(Outcome::ALL), checks(), checks())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    /// Each rollout counts once by its verdict, and once for each check that flagged it.
    #[test]
    fn agrees_with_a_naive_model(rollouts in prop::collection::vec(evaluated(), 0..40)) {
        let reader = Reader::new();
        let metrics = HealthMetrics::new(&reader.meter());
        let mut verdicts: BTreeMap<(HealthVerdict, Outcome), u64> = BTreeMap::new();
        let mut flags: BTreeMap<(HealthCheck, Outcome), u64> = BTreeMap::new();
        for (outcome, mut flagged, unobserved) in rollouts {
            let mut health = RolloutHealth::default();
            flagged.iter().for_each(|check| health.flag(*check));
            unobserved.iter().for_each(|check| health.could_not_run(*check));
            metrics.evaluated(outcome, &health);
            let verdict = match (flagged.is_empty(), unobserved.is_empty()) {
                (false, _) => HealthVerdict::Unhealthy,
                (true, false) => HealthVerdict::Unobserved,
                (true, true) => HealthVerdict::Healthy,
            };
            *verdicts.entry((verdict, outcome)).or_default() += 1;
            flagged.sort();
            flagged.dedup();
            flagged.into_iter().for_each(|check| *flags.entry((check, outcome)).or_default() += 1);
        }
        let seen = reader.collect();
        let outcome = |outcome: Outcome| ("nemo.gym.rollout.outcome", outcome.as_str());
        prop_assert_eq!(seen.series("gym.rollout.health_verdict_total"), verdicts.len());
        for ((verdict, of), count) in verdicts {
            let attributes = [("nemo.gym.health.verdict", verdict.as_str()), outcome(of)];
            prop_assert_eq!(seen.value("gym.rollout.health_verdict_total", &attributes), Some(count as f64));
        }
        prop_assert_eq!(seen.series("gym.rollout.health_flagged_total"), flags.len());
        for ((check, of), count) in flags {
            let attributes = [("nemo.gym.health.check", check.as_str()), outcome(of)];
            prop_assert_eq!(seen.value("gym.rollout.health_flagged_total", &attributes), Some(count as f64));
        }
    }
}
