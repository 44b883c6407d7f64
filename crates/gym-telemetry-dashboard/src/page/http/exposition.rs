use std::fmt::Write as _;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use gym_telemetry_collector::Counts;

use super::{
    reply::{Refusal, aside},
    router::Shared,
};
use crate::history::{History, ProcessState};

/// What the dashboard itself holds and was sent, as Prometheus reads it.
pub(super) async fn metrics(State(shared): State<Shared>) -> Result<Response, Refusal> {
    let text = aside(move || {
        let mut text = held(&shared.source.history);
        if let Some(counts) = shared.source.counts() {
            text.push_str(&sent(&counts));
        }
        text
    });
    Ok(([("content-type", "text/plain; version=0.0.4; charset=utf-8")], text.await?).into_response())
}

fn held(history: &History) -> String {
    let processes = history.processes();
    let reporting = processes.iter().filter(|process| process.state == ProcessState::Reporting).count();
    let gone = processes.len() - reporting;
    let metrics = history.metrics();
    let series: usize = metrics.iter().map(|metric| metric.series).sum();
    let refused = history.refused();
    [
        family(
            "processes",
            "gauge",
            "Processes that have reported.",
            &[("{state=\"reporting\"}", count(reporting)), ("{state=\"gone\"}", count(gone))],
        ),
        family("metrics", "gauge", "Metrics that are held.", &[("", count(metrics.len()))]),
        family("series", "gauge", "Series that are held.", &[("", count(series))]),
        family("history_bytes", "gauge", "What the past of all series takes.", &[("", count(history.past_bytes()))]),
        family(
            "refused_points_total",
            "counter",
            "Points that were not taken in.",
            &[("{reason=\"over_limit\"}", refused.over_limit), ("{reason=\"malformed\"}", refused.malformed)],
        ),
    ]
    .concat()
}

fn sent(counts: &Counts) -> String {
    let points = counts.points;
    [
        family("requests_total", "counter", "Requests that came, of every kind.", &[("", counts.requests)]),
        family(
            "refused_requests_total",
            "counter",
            "Requests that were refused as a whole.",
            &[("", counts.refused_requests)],
        ),
        family(
            "points_total",
            "counter",
            "Points that were taken in, or had nothing new to say.",
            &[("{outcome=\"accepted\"}", points.accepted), ("{outcome=\"ignored\"}", points.ignored)],
        ),
        family("state_bytes", "gauge", "What the latest state of all series takes.", &[("", count(counts.bytes))]),
    ]
    .concat()
}

/// A metric with its samples: their labels, and their values.
fn family(name: &str, kind: &str, help: &str, samples: &[(&str, u64)]) -> String {
    let mut text = format!("# HELP gym_dashboard_{name} {help}\n# TYPE gym_dashboard_{name} {kind}\n");
    for (labels, value) in samples {
        let _ = writeln!(text, "gym_dashboard_{name}{labels} {value}");
    }
    text
}

fn count(count: usize) -> u64 {
    count as u64
}
