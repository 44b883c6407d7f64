use super::{Finding, cancelled, errors, gone, lag, limits, memory, pool, refused, rollouts};
use crate::page::ask::Scene;

/// Everything that the rules find, what matters most first.
pub(in crate::page) fn all(scene: &Scene<'_>) -> Vec<Finding> {
    let rules: [fn(&Scene<'_>) -> Vec<Finding>; 9] = [
        limits::find,
        lag::find,
        cancelled::find,
        errors::find,
        pool::find,
        rollouts::find,
        memory::find,
        gone::find,
        refused::find,
    ];
    let mut findings: Vec<_> = rules.iter().flat_map(|rule| rule(scene)).collect();
    // Stable: rules stay in order.
    findings.sort_by_key(|finding| finding.severity);
    findings
}
