//! Metrics about which processes do not agree.

use gym_telemetry_collector::Kind;

use super::finding::{Finding, Severity};
use crate::page::{
    ask::{Question, Scene, words},
    text::shown,
};

pub(super) fn find(scene: &Scene<'_>) -> Vec<Finding> {
    let metrics = scene.forms.chunk_by(|one, other| one.0 == other.0);
    metrics.filter_map(|forms| judge(forms, scene)).collect()
}

fn judge(forms: &[(String, String, Kind)], scene: &Scene<'_>) -> Option<Finding> {
    let [(name, ..), _, ..] = forms else { return None };
    let form = |(_, unit, kind): &(String, String, Kind)| words::of_form(Some(*kind), Some(unit));
    let forms: Vec<_> = forms.iter().map(form).collect();
    let sentence = format!("{} is reported as {}: they are not added up.", shown(name), forms.join(" and as "));
    let query = Question::new(name, scene.since).link();
    Some(Finding { rule: "metric-has-two-forms", severity: Severity::Warn, sentence, query })
}
