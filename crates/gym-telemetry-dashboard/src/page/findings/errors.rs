//! Servers that answer with errors, or not at all.

use std::collections::BTreeMap;

use gym_telemetry_conventions::{attributes, metrics};

use super::finding::{Finding, RECENT, Severity, percent};
use crate::{
    history::Select,
    page::ask::{PROCESS, Scene},
};

/// This share of responses must be errors of the server.
const SHARE: f64 = 0.05;

/// So many of them must there be.
const LEAST: f64 = 3.0;

pub(super) fn find(scene: &Scene<'_>) -> Vec<Finding> {
    let status = &attributes::HTTP_RESPONSE_STATUS_CODE;
    let responses = scene.ask(&metrics::SERVER_RESPONSES_TOTAL).by_process().by(status);
    let responses = responses.select(Select::Increase).since(RECENT).coarse();
    let mut servers = BTreeMap::<_, (f64, f64)>::new();
    for (mut labels, total) in responses.totals() {
        let errors = labels.remove(status.key).is_some_and(|status| is_error(&status));
        let counts = servers.entry(labels).or_default();
        counts.0 += total;
        counts.1 += if errors { total } else { 0.0 };
    }
    let answers = servers.iter().filter_map(|(labels, (all, errors))| {
        judge(&scene.names.get(labels.get(PROCESS)?), *all, *errors, responses.link_to(labels))
    });
    let unhandled = scene.ask(&metrics::SERVER_REQUESTS_UNHANDLED_EXCEPTIONS_TOTAL).by_process();
    let unhandled = unhandled.select(Select::Increase).since(RECENT).coarse();
    let lost = unhandled.totals().into_iter().filter_map(|(labels, count)| {
        judge_unhandled(&scene.names.get(labels.get(PROCESS)?), count, unhandled.link_to(&labels))
    });
    answers.chain(lost).collect()
}

/// Whether a status is an error of the server.
pub(in crate::page) fn is_error(status: &str) -> bool {
    status.len() == 3 && status.starts_with('5')
}

fn judge(server: &str, responses: f64, errors: f64, query: String) -> Option<Finding> {
    if errors < LEAST || errors < SHARE * responses {
        return None;
    }
    let sentence = format!("{} of the responses of {server} are errors (5xx).", percent(errors / responses));
    Some(Finding { rule: "responses-are-errors", severity: Severity::Bad, sentence, query })
}

fn judge_unhandled(server: &str, count: f64, query: String) -> Option<Finding> {
    let sentence =
        format!("{count:.0} requests to {server} ended without a response in the last minute: a handler failed.");
    let finding = Finding { rule: "requests-are-unhandled", severity: Severity::Bad, sentence, query };
    (count >= 0.5).then_some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_count_by_their_share() {
        let said = judge("policy_model", 100.0, 12.0, String::new()).unwrap();
        assert_eq!(said.sentence, "12 % of the responses of policy_model are errors (5xx).");
        assert_eq!(judge("policy_model", 100.0, 4.0, String::new()), None);
        assert_eq!(judge("policy_model", 2.0, 2.0, String::new()), None);
    }

    #[test]
    fn one_request_without_a_response_is_enough() {
        assert!(judge_unhandled("policy_model", 1.0, String::new()).is_some());
        assert_eq!(judge_unhandled("policy_model", 0.0, String::new()), None);
    }

    #[test]
    fn only_errors_of_the_server_are_meant() {
        assert!(is_error("503"));
        assert!(!is_error("404") && !is_error("5") && !is_error("5000"));
    }
}
