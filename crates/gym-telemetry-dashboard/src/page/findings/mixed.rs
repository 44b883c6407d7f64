//! Processes that nothing tells apart.

use super::finding::{Finding, RECENT, Severity};
use crate::page::ask::Scene;

pub(super) fn find(scene: &Scene<'_>) -> Vec<Finding> {
    let is_recent = |mixed: u64| u128::from(scene.now.saturating_sub(mixed)) < RECENT.as_millis();
    let mixed = scene.processes.iter().filter(|process| process.mixed.is_some_and(is_recent));
    mixed.map(|process| said(&scene.names.get(&process.id.to_string()))).collect()
}

fn said(name: &str) -> Finding {
    let sentence = format!(
        "Several processes report as {name}, with the same attributes, and their numbers are mixed up: each needs a \
         service.instance.id of its own."
    );
    Finding { rule: "processes-are-mixed", severity: Severity::Bad, sentence, query: String::new() }
}
