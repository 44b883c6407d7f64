//! Clients that go away before they have an answer.

use std::collections::BTreeMap;

use gym_telemetry_conventions::{RequestPhase, attributes, metrics};

use super::finding::{Finding, RECENT, Severity, percent};
use crate::{
    history::Select,
    page::{
        ask::{PROCESS, Scene},
        text::shown,
    },
};

/// This share of requests must have been cancelled.
const SHARE: f64 = 0.05;

/// So many requests must there have been.
const LEAST: f64 = 10.0;

pub(super) fn find(scene: &Scene<'_>) -> Vec<Finding> {
    let cancelled = scene.ask(&metrics::SERVER_REQUESTS_CANCELLED_TOTAL).by_process().by(&attributes::HTTP_ROUTE);
    let cancelled = cancelled.matching(&attributes::REQUEST_PHASE, RequestPhase::BeforeResponseStart.as_str());
    let cancelled = cancelled.select(Select::Increase).since(RECENT).coarse();
    let answered =
        scene.ask(&metrics::SERVER_RESPONSES_TOTAL).by_process().select(Select::Increase).since(RECENT).coarse();
    let answered: BTreeMap<_, _> = answered.totals().into_iter().collect();
    let mut servers = BTreeMap::<_, Vec<_>>::new();
    for (mut labels, total) in cancelled.totals() {
        let route = labels.remove(attributes::HTTP_ROUTE.key).unwrap_or_default();
        servers.entry(labels).or_default().push((shown(&route), total));
    }
    let judged = servers.into_iter().filter_map(|(labels, routes)| {
        let answered = answered.get(&labels).copied().unwrap_or(0.0);
        let server = scene.names.get(labels.get(PROCESS)?);
        judge(&server, answered, &routes, cancelled.link_to(&labels))
    });
    judged.collect()
}

/// Requests of one server: how many were answered, and how many cancelled before that, by route.
fn judge(server: &str, answered: f64, cancelled: &[(String, f64)], query: String) -> Option<Finding> {
    let total: f64 = cancelled.iter().map(|(_, count)| count).sum();
    let requests = answered + total;
    if requests < LEAST || total < SHARE * requests {
        return None;
    }
    let (route, _) = cancelled.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let share = percent(total / requests);
    let sentence = format!("{share} of the requests to {server} are cancelled before a response, most on {route}.");
    Some(Finding { rule: "requests-are-cancelled", severity: Severity::Warn, sentence, query })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(answered: f64, cancelled: &[(&str, f64)]) -> Option<String> {
        let cancelled: Vec<_> = cancelled.iter().map(|(route, count)| ((*route).to_owned(), *count)).collect();
        judge("simple_agent", answered, &cancelled, String::new()).map(|finding| finding.sentence)
    }

    #[test]
    fn a_share_of_the_requests_is_named_with_its_route() {
        let expected = "20 % of the requests to simple_agent are cancelled before a response, most on /run.";
        assert_eq!(said(80.0, &[("/health", 1.0), ("/run", 19.0)]).as_deref(), Some(expected));
    }

    #[test]
    fn a_few_are_nothing() {
        assert_eq!(said(96.0, &[("/run", 4.0)]), None);
        assert_eq!(said(5.0, &[("/run", 4.0)]), None);
    }
}
