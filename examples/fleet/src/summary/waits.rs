//! What had to wait: for a connection, and for the event loop.

use comfy_table::Table;
use gym_telemetry::conventions::{attributes, metrics};
use gym_telemetry_collector::{Series, Snapshot};

use super::table::{figure, table};

/// How often a connection was asked for, by destination, and how often that had to wait.
pub(super) fn pools(state: &Snapshot) -> Table {
    let mut table = table(["connections to", "asked for", "opened", "queued", "queued ms mean", "queued ms max"]);
    let key = attributes::DESTINATION_SERVER_NAME.key;
    let destination = |series: &Series<'_>| series.attributes.str(key).unwrap_or_default().to_owned();
    let opened = state.histograms(metrics::HTTP_CONNECTION_POOL_CONNECT_DURATION_MS.name, destination);
    let queued = state.histograms(metrics::HTTP_CONNECTION_POOL_QUEUE_DURATION_MS.name, destination);
    for (name, attempts) in state.sums(metrics::HTTP_CONNECTION_POOL_CONNECT_TOTAL.name, destination) {
        // Nobody has to be told of a destination that nobody asked for.
        if attempts == 0.0 {
            continue;
        }
        let opened = opened.get(&name).map_or(0, |opened| opened.count);
        let queued = queued.get(&name).cloned().unwrap_or_default();
        #[expect(clippy::cast_precision_loss, reason = "a percentage")]
        let share = 100.0 * queued.count as f64 / attempts;
        let figures = [queued.mean(), queued.max].map(figure);
        table.add_row(
            [name, attempts.to_string(), opened.to_string(), format!("{share:.1} %")].into_iter().chain(figures),
        );
    }
    table
}

/// The worst that a ready task had to wait in each process.
pub(super) fn loops(state: &Snapshot) -> Table {
    let mut table = table(["event loop lag in ms", "samples", "mean", "worst"]);
    let process = |series: &Series<'_>| {
        series.resource.attributes().str(attributes::SERVER_NAME.key).unwrap_or_default().to_owned()
    };
    for (name, lag) in state.histograms(metrics::EVENT_LOOP_LAG_MS.name, process) {
        table.add_row([name, lag.count.to_string(), figure(lag.mean()), figure(lag.max)]);
    }
    table
}
