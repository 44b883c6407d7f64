//! What ran behind limits, and where.

use comfy_table::Table;
use gym_telemetry::conventions::{Instrument, attributes, metrics};
use gym_telemetry_collector::{Series, Snapshot};

use super::table::{figure, table};

/// How operations ended, and how long they took and had waited.
pub(super) fn operations(state: &Snapshot) -> Table {
    let mut table = table(["operations", "ended", "ms mean", "ms max", "waited ms mean", "waited ms max"]);
    let kind = |series: &Series<'_>| {
        [attributes::RESOURCES_OPERATION.key, attributes::RESOURCES_EXECUTOR.key].map(|key| text(series, key))
    };
    let waits = state.histograms(metrics::RESOURCES_OPERATION_QUEUE_DURATION_MS.name, kind);
    let runs = state.histograms(metrics::RESOURCES_OPERATION_DURATION_MS.name, |series| {
        (kind(series), text(series, attributes::RESOURCES_OPERATION_OUTCOME.key))
    });
    for ((kind, outcome), run) in runs {
        let wait = waits.get(&kind).cloned().unwrap_or_default();
        let figures = [run.mean(), run.max, wait.mean(), wait.max].map(figure);
        let [operation, executor] = kind;
        let name = format!("{operation} ({executor}): {outcome}");
        table.add_row([name, run.count.to_string()].into_iter().chain(figures));
    }
    table
}

/// How many sandboxes there were, and what they were used for.
pub(super) fn sandboxes(state: &Snapshot) -> Table {
    let mut table = table(["sandboxes", "started", "start ms mean", "retries", "commands", "command ms mean", "held"]);
    let provider = |series: &Series<'_>| text(series, attributes::SANDBOX_PROVIDER.key);
    let commands = state.histograms(metrics::SANDBOX_EXEC_DURATION_MS.name, provider);
    let sum = |metric: &Instrument, name: &str| state.sum(metric.name, |series| provider(series) == name).to_string();
    for (name, starts) in state.histograms(metrics::SANDBOX_STARTUP_DURATION_MS.name, provider) {
        let commands = commands.get(&name).cloned().unwrap_or_default();
        let retries = sum(&metrics::SANDBOX_CREATE_RETRY_TOTAL, &name);
        let held = sum(&metrics::SANDBOX_ACTIVE, &name);
        let (start, command) = (figure(starts.mean()), figure(commands.mean()));
        table.add_row([name, starts.count.to_string(), start, retries, commands.count.to_string(), command, held]);
    }
    table
}

/// What each limit has come to, and how many waits for it were given up.
pub(super) fn limits(state: &Snapshot) -> Table {
    let mut table = table(["limits", "slots at the end", "held", "waiting", "waits given up"]);
    let name = |series: &Series<'_>| {
        let part = |key| text(series, key);
        format!("{}: {}", part(attributes::CONCURRENCY_COMPONENT.key), part(attributes::CONCURRENCY_LIMIT_NAME.key))
    };
    let rest = [
        &metrics::CONCURRENCY_ACTIVE,
        &metrics::CONCURRENCY_QUEUE_DEPTH,
        &metrics::CONCURRENCY_ADMISSION_CANCELLED_TOTAL,
    ];
    for (limit, slots) in state.sums(metrics::CONCURRENCY_LIMIT.name, name) {
        let rest = rest.map(|metric| state.sum(metric.name, |series| name(series) == limit).to_string());
        table.add_row([limit, slots.to_string()].into_iter().chain(rest));
    }
    table
}

fn text(series: &Series<'_>, key: &str) -> String {
    series.attributes.str(key).unwrap_or_default().to_owned()
}
