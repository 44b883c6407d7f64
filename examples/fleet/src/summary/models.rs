//! What was asked of the model.

use comfy_table::Table;
use gym_telemetry::conventions::{Instrument, attributes, metrics};
use gym_telemetry_collector::{Series, Snapshot};

use super::table::{figure, table};

/// Calls by outcome, tokens by type, and why answers ended.
pub(super) fn model_calls(state: &Snapshot) -> Table {
    let mut table = table(["model calls", "count", "mean", "max"]);
    let mut distributions = |what: &str, metric: &Instrument, key: &str| {
        for (name, seen) in state.histograms(metric.name, |series| text(series, key)) {
            let figures = [seen.mean(), seen.max].map(figure);
            table.add_row([format!("{what} {name}"), seen.count.to_string()].into_iter().chain(figures));
        }
    };
    distributions("ms until", &metrics::MODEL_CALL_DURATION_MS, attributes::MODEL_CALL_OUTCOME.key);
    distributions("tokens:", &metrics::MODEL_CALL_TOKENS, attributes::MODEL_CALL_TOKEN_TYPE.key);
    let reason = |series: &Series<'_>| text(series, attributes::MODEL_CALL_FINISH_REASON.key);
    for (reason, count) in state.sums(metrics::MODEL_CALL_FINISH_TOTAL.name, reason) {
        table.add_row([format!("ended: {reason}"), count.to_string()]);
    }
    table
}

fn text(series: &Series<'_>, key: &str) -> String {
    series.attributes.str(key).unwrap_or_default().to_owned()
}
