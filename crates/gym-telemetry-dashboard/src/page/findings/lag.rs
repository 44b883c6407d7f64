//! An event loop that runs nothing, or runs late.

use gym_telemetry_conventions::{attributes, metrics};

use super::finding::{Finding, RECENT, Severity, spoken};
use crate::{
    history::{Line, Over, Select},
    page::{
        ask::{Asked, Scene},
        panel::latest,
    },
};

/// A loop that has run nothing for this long is stuck.
const STUCK_MS: f64 = 1_000.0;

/// One wait in a hundred being longer than this makes a loop slow.
const SLOW_MS: f64 = 250.0;

pub(super) fn find(scene: &Scene<'_>) -> Vec<Finding> {
    let now =
        scene.ask(&metrics::EVENT_LOOP_CURRENT_LAG_MS).by_process().by(&attributes::EVENT_LOOP).over(Over::Max).now();
    let waits = scene.ask(&metrics::EVENT_LOOP_LAG_MS).by_process().by(&attributes::EVENT_LOOP);
    let waits = waits.select(Select::Quantile(0.99)).since(RECENT).step(RECENT / 4);
    let judge_lines = |asked: &Asked<'_>, judge: fn(&str, f64, String) -> Option<Finding>| -> Vec<Finding> {
        let judge = |line: Line| judge(&scene.label(&line.labels), latest(&line.values)?, asked.link_to(&line.labels));
        asked.lines().1.into_iter().filter_map(judge).collect()
    };
    judge_lines(&now, stuck).into_iter().chain(judge_lines(&waits, slow)).collect()
}

fn stuck(name: &str, lag_ms: f64, query: String) -> Option<Finding> {
    let waited = spoken(lag_ms / 1e3);
    let sentence = format!("The event loop of {name} is stuck: a ready task has been waiting for {waited}.");
    let finding = Finding { rule: "loop-is-stuck", severity: Severity::Bad, sentence, query };
    (lag_ms >= STUCK_MS).then_some(finding)
}

fn slow(name: &str, p99_ms: f64, query: String) -> Option<Finding> {
    let waits = spoken(p99_ms / 1e3);
    let sentence = format!("The event loop of {name} is slow: one ready task in a hundred waits {waits} or more.");
    let finding = Finding { rule: "loop-is-slow", severity: Severity::Warn, sentence, query };
    (p99_ms >= SLOW_MS).then_some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_that_runs_nothing_is_stuck() {
        let said = stuck("policy_model", 4_000.0, String::new()).unwrap();
        let expected = "The event loop of policy_model is stuck: a ready task has been waiting for 4.0 s.";
        assert_eq!((said.sentence.as_str(), said.severity), (expected, Severity::Bad));
        assert_eq!(stuck("policy_model", 999.0, String::new()), None);
    }

    #[test]
    fn a_loop_that_runs_late_is_slow() {
        let said = slow("policy_model", 400.0, String::new()).unwrap();
        let expected = "The event loop of policy_model is slow: one ready task in a hundred waits 0.4 s or more.";
        assert_eq!(said.sentence, expected);
        assert_eq!(slow("policy_model", 249.0, String::new()), None);
    }
}
