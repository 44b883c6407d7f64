//! A limit that others wait behind is the bottleneck.

use std::{collections::BTreeMap, time::Duration};

use gym_telemetry_conventions::{Attribute, Instrument, attributes, metrics};

use super::finding::{Finding, Severity, spoken};
use crate::{
    history::Over,
    page::{
        ask::{Asked, PROCESS, Scene},
        panel::latest,
        text::shown,
    },
};

/// How long callers must have been waiting.
const LEAST_SECONDS: f64 = 5.0;

/// How far back the beginning of the wait is looked for.
const REACH: Duration = Duration::from_secs(600);

/// How closely.
const STEP: Duration = Duration::from_secs(2);

/// Callers that wait for a limit, now and for how long without a break.
#[derive(Debug, Clone, Copy)]
struct Queue {
    waiting: f64,
    busy: f64,
    /// Nothing where only those who are busy are known.
    slots: Option<f64>,
    seconds: f64,
}

pub(super) fn find(scene: &Scene<'_>) -> Vec<Finding> {
    let by = |metric: &Instrument, keys: &[Attribute]| {
        let asked = scene.ask(metric).by_process().over(Over::Sum).since(REACH).step(STEP);
        keys.iter().fold(asked, |asked, key| asked.by(key))
    };
    let limit = |metric| by(metric, &[attributes::CONCURRENCY_COMPONENT, attributes::CONCURRENCY_LIMIT_NAME]);
    let operation = |metric| by(metric, &[attributes::RESOURCES_OPERATION]);
    let slots = limit(&metrics::CONCURRENCY_LIMIT);
    let limits =
        judge_all(scene, &limit(&metrics::CONCURRENCY_QUEUE_DEPTH), &limit(&metrics::CONCURRENCY_ACTIVE), Some(&slots));
    let queued = operation(&metrics::RESOURCES_OPERATION_QUEUED);
    let operations = judge_all(scene, &queued, &operation(&metrics::RESOURCES_OPERATION_ACTIVE), None);
    limits.into_iter().chain(operations).collect()
}

fn judge_all(scene: &Scene<'_>, queued: &Asked<'_>, busy: &Asked<'_>, slots: Option<&Asked<'_>>) -> Vec<Finding> {
    let now = |asked: &Asked<'_>| -> BTreeMap<_, _> {
        let lines = asked.lines().1.into_iter();
        lines.filter_map(|line| Some((line.labels, latest(&line.values)?))).collect()
    };
    let (busy, slots) = (now(busy), slots.map(now).unwrap_or_default());
    let judged = queued.lines().1.into_iter().filter_map(|line| {
        let busy = *busy.get(&line.labels)?;
        let queue = queue(&line.values, busy, slots.get(&line.labels).copied())?;
        let process = line.labels.get(PROCESS).map(|id| scene.names.get(id)).unwrap_or_default();
        let names = line.labels.iter().filter(|(key, _)| *key != PROCESS);
        let names: Vec<_> = names.map(|(_, name)| shown(name)).collect();
        judge(&format!("{} at {process}", names.join(" ")), queue, queued.link_to(&line.labels))
    });
    judged.collect()
}

/// How many wait, and since when somebody always has.
fn queue(waiting: &[Option<f64>], busy: f64, slots: Option<f64>) -> Option<Queue> {
    let now = latest(waiting)?;
    let known = waiting.iter().rev().skip_while(|value| value.is_none());
    let steps = known.take_while(|value| value.is_some_and(|waiting| waiting > 0.0)).count();
    let seconds = STEP.as_secs_f64() * f64::from(u32::try_from(steps).unwrap_or(u32::MAX));
    Some(Queue { waiting: now, busy, slots, seconds })
}

/// Everybody busy and somebody waiting, for a while.
fn judge(limit: &str, queue: Queue, query: String) -> Option<Finding> {
    let Queue { waiting, busy, slots, seconds } = queue;
    let full = slots.is_none_or(|slots| busy >= slots);
    if waiting < 1.0 || !full || seconds < LEAST_SECONDS {
        return None;
    }
    let busy = slots.map_or_else(|| format!("{busy} busy"), |slots| format!("{busy} of {slots} busy"));
    let sentence =
        format!("The limit on {limit} is the bottleneck: {waiting} waiting, {busy}, for {}.", spoken(seconds));
    Some(Finding { rule: "limit-is-the-bottleneck", severity: Severity::Warn, sentence, query })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(waiting: &[Option<f64>], busy: f64, slots: Option<f64>) -> Option<String> {
        judge("verify at answer_verifier", queue(waiting, busy, slots)?, String::new()).map(|finding| finding.sentence)
    }

    #[test]
    fn a_full_limit_with_waiters_is_the_bottleneck() {
        let minutes = vec![Some(43.0); 60];
        let begin = "The limit on verify at answer_verifier is the bottleneck: 43 waiting, 8";
        assert_eq!(said(&minutes, 8.0, Some(8.0)), Some(format!("{begin} of 8 busy, for 2 min.")));
        assert_eq!(said(&minutes, 8.0, None), Some(format!("{begin} busy, for 2 min.")));
    }

    #[test]
    fn free_slots_a_short_wait_and_an_empty_queue_are_nothing() {
        assert_eq!(said(&[Some(43.0); 60], 7.0, Some(8.0)), None);
        assert_eq!(said(&[Some(0.0), Some(43.0), Some(43.0)], 8.0, Some(8.0)), None);
        assert_eq!(said(&[Some(43.0), Some(43.0), Some(43.0), Some(0.0)], 8.0, Some(8.0)), None);
    }

    #[test]
    fn the_step_that_has_begun_may_be_empty() {
        assert!(said(&[Some(1.0), Some(1.0), Some(1.0), None], 8.0, Some(8.0)).is_some());
    }
}
