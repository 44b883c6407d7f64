//! How rollouts went.

use comfy_table::Table;
use gym_telemetry::conventions::{Instrument, Outcome, RewardRange, attributes, metrics};
use gym_telemetry_collector::Snapshot;

use super::table::{figure, table};

/// How rollouts ended, and what they earned.
pub(super) fn outcomes(state: &Snapshot) -> Table {
    let mut table = table(["rollouts", "count"]);
    let count = |metric: &Instrument, key: &str, value: &str| {
        state.sum(metric.name, |series| series.attributes.str(key) == Some(value))
    };
    let mut add = |name: String, count: f64| {
        if count > 0.0 {
            table.add_row([name, count.to_string()]);
        }
    };
    for outcome in Outcome::ALL.iter().map(|outcome| outcome.as_str()) {
        let ended = count(&metrics::ROLLOUT_COMPLETED_TOTAL, attributes::ROLLOUT_OUTCOME.key, outcome);
        add(outcome.to_owned(), ended);
    }
    for range in RewardRange::ALL.iter().map(|range| range.as_str()) {
        let rewarded = count(&metrics::ROLLOUT_REWARDED_TOTAL, attributes::ROLLOUT_REWARD_RANGE.key, range);
        add(format!("reward {range}"), rewarded);
    }
    table
}

/// What the health checks say of them.
pub(super) fn health(state: &Snapshot) -> Table {
    let mut table = table(["health", "rollouts"]);
    let by = |metric: &Instrument, key: &'static str| {
        state.sums(metric.name, move |series| series.attributes.str(key).unwrap_or_default().to_owned())
    };
    let verdicts = by(&metrics::ROLLOUT_HEALTH_VERDICT_TOTAL, attributes::HEALTH_VERDICT.key);
    let flagged = by(&metrics::ROLLOUT_HEALTH_FLAGGED_TOTAL, attributes::HEALTH_CHECK.key);
    for (name, count) in verdicts.into_iter().chain(flagged) {
        table.add_row([name, count.to_string()]);
    }
    table
}

/// Where time went.
pub(super) fn times(state: &Snapshot) -> Table {
    let parts: [(&str, &Instrument); 5] = [
        ("input", &metrics::DRIVER_MATERIALIZE_DURATION_MS),
        ("admission", &metrics::DRIVER_ADMISSION_DURATION_MS),
        ("rollout", &metrics::ROLLOUT_DURATION_MS),
        ("verify", &metrics::VERIFY_DURATION_MS),
        ("write", &metrics::DRIVER_OUTPUT_WRITE_DURATION_MS),
    ];
    distributions("time in ms", state, &parts)
}

/// How large rollouts were.
pub(super) fn sizes(state: &Snapshot) -> Table {
    let parts: [(&str, &Instrument); 5] = [
        ("input items", &metrics::DRIVER_ROLLOUT_INPUT_ITEMS),
        ("output items", &metrics::DRIVER_ROLLOUT_OUTPUT_ITEMS),
        ("turns", &metrics::DRIVER_ROLLOUT_TURNS),
        ("tool calls", &metrics::DRIVER_ROLLOUT_TOOL_CALLS),
        ("bytes written", &metrics::DRIVER_OUTPUT_WRITE_BYTES),
    ];
    distributions("size", state, &parts)
}

/// Those of these histograms that have samples.
fn distributions(title: &str, state: &Snapshot, parts: &[(&str, &Instrument)]) -> Table {
    let mut table = table([title, "samples", "min", "mean", "max"]);
    for (name, metric) in parts {
        for seen in state.histograms(metric.name, |_| ()).into_values() {
            let figures = [seen.min, seen.mean(), seen.max].map(figure);
            table.add_row([(*name).to_owned(), seen.count.to_string()].into_iter().chain(figures));
        }
    }
    table
}
