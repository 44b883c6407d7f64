//! Rollouts that fail, or are not sound.

use gym_telemetry_conventions::{Attribute, HealthVerdict, Instrument, Outcome, attributes, metrics};

use super::finding::{Finding, Severity, percent};
use crate::{history::Select, page::ask::Scene};

/// This share of the rollouts must have failed or be unhealthy.
const SHARE: f64 = 0.05;

/// So many of them must there be.
const LEAST: f64 = 3.0;

pub(super) fn find(scene: &Scene<'_>) -> Vec<Finding> {
    let share = |metric: &Instrument, attribute: &Attribute, value: &str| {
        let asked = scene.ask(metric).by(attribute).select(Select::Increase).coarse();
        let totals = asked.totals();
        let is_meant = |labels: &std::collections::BTreeMap<_, String>| labels.values().any(|label| label == value);
        let some = totals.iter().filter(|(labels, _)| is_meant(labels)).map(|(_, total)| total).sum();
        (some, totals.iter().map(|(_, total)| total).sum::<f64>(), asked.link())
    };
    let failed = share(&metrics::ROLLOUT_COMPLETED_TOTAL, &attributes::ROLLOUT_OUTCOME, Outcome::Failed.as_str());
    let unhealthy = HealthVerdict::Unhealthy.as_str();
    let unhealthy = share(&metrics::ROLLOUT_HEALTH_VERDICT_TOTAL, &attributes::HEALTH_VERDICT, unhealthy);
    let failed = judge("rollouts-fail", "fail", Severity::Bad, failed);
    let unhealthy = judge("rollouts-are-unhealthy", "are unhealthy", Severity::Warn, unhealthy);
    failed.into_iter().chain(unhealthy).collect()
}

/// So many of so many rollouts do something.
fn judge(
    rule: &'static str,
    what: &str,
    severity: Severity,
    (some, all, query): (f64, f64, String),
) -> Option<Finding> {
    if some < LEAST || some < SHARE * all {
        return None;
    }
    let sentence = format!("{} of the rollouts {what}: {some:.0} of {all:.0} in the time shown.", percent(some / all));
    Some(Finding { rule, severity, sentence, query })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_failures_is_told() {
        let said = judge("rollouts-fail", "fail", Severity::Bad, (10.0, 100.0, String::new())).unwrap();
        assert_eq!(said.sentence, "10 % of the rollouts fail: 10 of 100 in the time shown.");
        assert_eq!(judge("rollouts-fail", "fail", Severity::Bad, (4.0, 100.0, String::new())), None);
        assert_eq!(judge("rollouts-fail", "fail", Severity::Bad, (2.0, 2.0, String::new())), None);
    }
}
