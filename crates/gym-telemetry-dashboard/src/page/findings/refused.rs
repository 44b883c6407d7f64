//! Points that were not taken in.

use super::finding::{Finding, Severity};
use crate::page::{ask::Scene, text::shown};

pub(super) fn find(scene: &Scene<'_>) -> Vec<Finding> {
    let refused = scene.history.refused();
    judge(refused.over_limit, refused.malformed, &refused.reason).into_iter().collect()
}

fn judge(over_limit: u64, malformed: u64, reason: &str) -> Option<Finding> {
    let why = match (over_limit, malformed) {
        (0, 0) => return None,
        (_, 0) => "they are beyond the limits",
        (0, _) => "they contradict themselves",
        _ => "they are beyond the limits or contradict themselves",
    };
    let points = over_limit.saturating_add(malformed);
    let reason = if reason.is_empty() { String::new() } else { format!(" The sender was told: {}.", shown(reason)) };
    let sentence = format!("Points were refused ({points} so far), for {why}; what is shown lacks them.{reason}");
    Some(Finding { rule: "points-are-refused", severity: Severity::Warn, sentence, query: String::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_told() {
        let said = judge(7, 0, "too many series").unwrap().sentence;
        let expected = "Points were refused (7 so far), for they are beyond the limits; what is shown lacks them. \
                        The sender was told: too many series.";
        assert_eq!(said, expected);
        assert!(judge(0, 1, "").unwrap().sentence.contains("contradict"));
        assert_eq!(judge(0, 0, ""), None);
    }
}
