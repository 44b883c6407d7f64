use axum::{
    extract::State,
    response::{IntoResponse, Response},
};

use super::{
    reply::{Refusal, aside},
    router::Shared,
};
use crate::history::{History, ProcessState};

/// What the dashboard holds itself, as Prometheus reads it.
pub(super) async fn metrics(State(shared): State<Shared>) -> Result<Response, Refusal> {
    let text = aside(move || text(&shared.source.history)).await?;
    Ok(([("content-type", "text/plain; version=0.0.4; charset=utf-8")], text).into_response())
}

fn text(history: &History) -> String {
    let processes = history.processes();
    let reporting = processes.iter().filter(|process| process.state == ProcessState::Reporting).count();
    let gone = processes.len() - reporting;
    let metrics = history.metrics();
    let series: usize = metrics.iter().map(|metric| metric.series).sum();
    let refused = history.refused();
    format!(
        "# HELP gym_dashboard_processes Processes that have reported.\n\
         # TYPE gym_dashboard_processes gauge\n\
         gym_dashboard_processes{{state=\"reporting\"}} {reporting}\n\
         gym_dashboard_processes{{state=\"gone\"}} {gone}\n\
         # HELP gym_dashboard_metrics Metrics that are held.\n\
         # TYPE gym_dashboard_metrics gauge\n\
         gym_dashboard_metrics {}\n\
         # HELP gym_dashboard_series Series that are held.\n\
         # TYPE gym_dashboard_series gauge\n\
         gym_dashboard_series {series}\n\
         # HELP gym_dashboard_refused_points_total Points that were not taken in.\n\
         # TYPE gym_dashboard_refused_points_total counter\n\
         gym_dashboard_refused_points_total{{reason=\"over_limit\"}} {}\n\
         gym_dashboard_refused_points_total{{reason=\"malformed\"}} {}\n",
        metrics.len(),
        refused.over_limit,
        refused.malformed,
    )
}
