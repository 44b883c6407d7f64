use super::{Finding, cancelled, errors, forms, gone, lag, limits, memory, mixed, pool, refused, rollouts};
use crate::page::ask::Scene;

/// How many findings of one rule are enough where there is more to see.
const OF_ONE_RULE: usize = 3;

/// As [`all`], but of many findings of one rule only the first, and how many others there are.
pub(in crate::page) fn brief(scene: &Scene<'_>) -> Vec<Finding> {
    let mut brief = Vec::new();
    for findings in all(scene).chunk_by(|one, other| one.rule == other.rule) {
        brief.extend(findings.iter().take(OF_ONE_RULE).cloned());
        let more = findings.len().saturating_sub(OF_ONE_RULE);
        if let Some(first) = findings.first().filter(|_| more > 0) {
            let sentence = format!("And {more} more of this kind, which the page of findings has.");
            brief.push(Finding { sentence, query: String::new(), ..first.clone() });
        }
    }
    brief
}

/// Everything that the rules find, what matters most first.
pub(in crate::page) fn all(scene: &Scene<'_>) -> Vec<Finding> {
    let rules: [fn(&Scene<'_>) -> Vec<Finding>; 11] = [
        limits::find,
        lag::find,
        cancelled::find,
        errors::find,
        pool::find,
        rollouts::find,
        memory::find,
        mixed::find,
        forms::find,
        gone::find,
        refused::find,
    ];
    let mut findings: Vec<_> = rules.iter().flat_map(|rule| rule(scene)).collect();
    // Stable: rules stay in order.
    findings.sort_by_key(|finding| finding.severity);
    findings
}
