//! A host that runs out of memory.

use gym_telemetry_conventions::metrics;

use super::finding::{Finding, Severity, percent};
use crate::{history::Over, page::ask::Scene};

/// Less than this share of the memory must be available.
const SHARE: f64 = 0.1;

pub(super) fn find(scene: &Scene<'_>) -> Vec<Finding> {
    let available = scene.ask(&metrics::HOST_MEMORY_AVAILABLE).over(Over::Min).now();
    let total = scene.ask(&metrics::HOST_MEMORY_TOTAL).over(Over::Max).now();
    let numbers = available.number("").value.zip(total.number("").value);
    numbers.and_then(|(free, all)| judge(free, all, available.link())).into_iter().collect()
}

fn judge(available: f64, total: f64, query: String) -> Option<Finding> {
    if total <= 0.0 || available >= SHARE * total {
        return None;
    }
    let sentence = format!("The host runs out of memory: {} of it are available.", percent(available / total));
    Some(Finding { rule: "memory-runs-out", severity: Severity::Bad, sentence, query })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_memory_is_told() {
        let said = judge(4.0, 100.0, String::new()).unwrap();
        assert_eq!(said.sentence, "The host runs out of memory: 4 % of it are available.");
        assert_eq!(judge(10.0, 100.0, String::new()), None);
        assert_eq!(judge(0.0, 0.0, String::new()), None);
    }
}
