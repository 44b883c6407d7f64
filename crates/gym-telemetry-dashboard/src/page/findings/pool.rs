//! Callers that wait for a connection.

use std::collections::BTreeMap;

use gym_telemetry_conventions::{QueueConstraint, attributes, metrics};

use super::finding::{Finding, RECENT, Severity, percent};
use crate::{
    history::Select,
    page::{
        ask::{PROCESS, Scene},
        text::shown,
    },
};

/// This share of acquisitions must have waited.
const SHARE: f64 = 0.2;

/// So many acquisitions must there have been.
const LEAST: f64 = 10.0;

pub(super) fn find(scene: &Scene<'_>) -> Vec<Finding> {
    let queued = scene.ask(&metrics::HTTP_CONNECTION_POOL_QUEUE_DURATION_MS).by_process();
    let queued = queued.by(&attributes::DESTINATION_SERVER_NAME).by(&attributes::POOL_QUEUE_CONSTRAINT);
    let queued = queued.select(Select::Count).since(RECENT).coarse();
    let all = scene.ask(&metrics::HTTP_CONNECTION_POOL_CONNECT_TOTAL).by_process();
    let all = all.by(&attributes::DESTINATION_SERVER_NAME).select(Select::Increase).since(RECENT).coarse();
    let all: BTreeMap<_, _> = all.totals().into_iter().collect();
    let judged = queued.totals().into_iter().filter_map(|(labels, waits)| {
        let mut pool = labels.clone();
        let constraint = pool.remove(attributes::POOL_QUEUE_CONSTRAINT.key)?;
        let acquisitions = *all.get(&pool)?;
        let from = scene.names.get(labels.get(PROCESS)?);
        let to = shown(labels.get(attributes::DESTINATION_SERVER_NAME.key)?);
        judge(&format!("{from} to {to}"), &constraint, waits, acquisitions, queued.link_to(&labels))
    });
    judged.collect()
}

fn judge(pool: &str, constraint: &str, waits: f64, acquisitions: f64, query: String) -> Option<Finding> {
    if acquisitions < LEAST || waits < SHARE * acquisitions {
        return None;
    }
    let limit = match constraint {
        word if word == QueueConstraint::PerHost.as_str() => "the per-host limit",
        word if word == QueueConstraint::Total.as_str() => "the limit over all hosts",
        _ => "a limit",
    };
    // A wait is counted when it ends, its acquisition when it begins.
    let share = percent((waits / acquisitions).min(1.0));
    let sentence = format!("The pool of {pool} queues {share} of its acquisitions on {limit}.");
    Some(Finding { rule: "pool-queues", severity: Severity::Warn, sentence, query })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_that_queues_names_its_limit() {
        let said = judge("simple_agent to policy_model", "per_host", 60.0, 100.0, String::new()).unwrap();
        let expected =
            "The pool of simple_agent to policy_model queues 60 % of its acquisitions on the per-host limit.";
        assert_eq!(said.sentence, expected);
    }

    #[test]
    fn a_few_waits_are_nothing() {
        assert_eq!(judge("a to b", "total", 19.0, 100.0, String::new()), None);
        assert_eq!(judge("a to b", "total", 9.0, 9.0, String::new()), None);
    }
}
