//! Processes that have fallen silent.

use super::finding::{Finding, Severity, spoken};
use crate::{history::ProcessState, page::ask::Scene};

pub(super) fn find(scene: &Scene<'_>) -> Vec<Finding> {
    let latest = scene.processes.iter().map(|process| process.last_seen).max().unwrap_or(0);
    let gone = scene.processes.iter().filter(|process| process.state == ProcessState::Gone);
    let gone = gone.map(|process| {
        let millis = u32::try_from(latest.saturating_sub(process.last_seen)).unwrap_or(u32::MAX);
        (scene.names.get(&process.id.to_string()), f64::from(millis) / 1e3)
    });
    judge(&gone.collect::<Vec<_>>(), scene.reporting())
}

/// Names of silent processes, and for how many seconds others have outlived them.
fn judge(gone: &[(String, f64)], reporting: usize) -> Vec<Finding> {
    let finding = |rule, severity, sentence| Finding { rule, severity, sentence, query: String::new() };
    if reporting == 0 && !gone.is_empty() {
        let sentence = "No process reports any more: the numbers are the last that there were.".to_owned();
        return vec![finding("nobody-reports", Severity::Note, sentence)];
    }
    let silent = |(name, seconds): &(String, f64)| {
        let sentence = format!("{name} is gone: it has reported nothing for {}.", spoken(*seconds));
        finding("process-is-gone", Severity::Warn, sentence)
    };
    gone.iter().map(silent).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_others_outlive_is_named() {
        let said = judge(&[("policy_model".to_owned(), 12.3)], 2);
        assert_eq!(said.len(), 1);
        assert_eq!(said[0].sentence, "policy_model is gone: it has reported nothing for 12 s.");
        assert_eq!(judge(&[], 2), Vec::new());
    }

    #[test]
    fn the_end_of_all_is_one_finding() {
        let gone = [("a".to_owned(), 0.0), ("b".to_owned(), 1.0)];
        assert_eq!(judge(&gone, 0).iter().map(|finding| finding.rule).collect::<Vec<_>>(), ["nobody-reports"]);
        assert_eq!(judge(&[], 0), Vec::new());
    }
}
