//! What a person reads when a run is over.

use std::{collections::BTreeMap, path::Path, time::Duration};

use comfy_table::{CellAlignment, Table, presets};
use gym_telemetry::{
    MemorySample, MemoryUsage,
    conventions::{Instrument, Outcome, RewardRange, attributes, metrics},
};
use gym_telemetry_collector::{Series, Snapshot};

use crate::{cli::Options, supervisor::Ended};

/// Everything that a summary is made of.
#[derive(Debug)]
pub(crate) struct Summary<'a> {
    pub(crate) state: &'a Snapshot,
    pub(crate) ended: &'a [Ended],
    pub(crate) memory: Option<&'a MemorySample>,
    pub(crate) took: Duration,
    pub(crate) output: &'a Path,
    pub(crate) options: &'a Options,
}

/// Prints the summary of a run on standard output.
#[expect(clippy::print_stdout, reason = "it is the command's result")]
pub(crate) fn print(summary: &Summary<'_>) {
    let state = summary.state;
    let sections = [
        outcomes(state),
        times(state),
        requests(summary.ended),
        pools(state),
        loops(state),
        memory(summary.memory),
        startup(state),
    ];
    for section in sections.into_iter().filter(|table| table.row_count() > 0) {
        println!("{section}\n");
    }
    println!("took      {:.1} s", summary.took.as_secs_f64());
    println!("rollouts  {}", summary.output.display());
    if let Some(path) = &summary.options.metrics_json {
        println!("metrics   {}", path.display());
    }
}

/// A table whose numbers, all but the first column, stand on the right.
fn table<const N: usize>(header: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_FULL_CONDENSED).set_header(header);
    table.column_iter_mut().skip(1).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table
}

/// How rollouts ended, and what they earned.
fn outcomes(state: &Snapshot) -> Table {
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

/// Where time went.
fn times(state: &Snapshot) -> Table {
    let mut table = table(["time in ms", "samples", "min", "mean", "max"]);
    let parts: [(&str, &Instrument); 4] = [
        ("admission", &metrics::DRIVER_ADMISSION_DURATION_MS),
        ("rollout", &metrics::ROLLOUT_DURATION_MS),
        ("verify", &metrics::VERIFY_DURATION_MS),
        ("write", &metrics::DRIVER_OUTPUT_WRITE_DURATION_MS),
    ];
    for (name, metric) in parts {
        for seen in state.histograms(metric.name, |_| ()).into_values() {
            let figures = [seen.min, seen.mean(), seen.max].map(figure);
            table.add_row([name.to_owned(), seen.count.to_string()].into_iter().chain(figures));
        }
    }
    table
}

/// Where each server's requests went.
fn requests(ended: &[Ended]) -> Table {
    let mut table = table([
        "requests",
        "received",
        "responses",
        "cancelled before head",
        "cancelled after head",
        "unhandled",
        "in flight",
    ]);
    for (server, account) in ended.iter().filter_map(|server| Some((server, server.account?))) {
        let counts = [
            account.received,
            account.responses,
            account.cancelled_before_head,
            account.cancelled_after_head,
            account.unhandled + account.body_failed,
            account.in_flight,
        ];
        let counts = counts.map(|count| count.to_string());
        table.add_row([server.role.server_name().to_owned()].into_iter().chain(counts));
    }
    table
}

/// How often a connection was asked for, by destination, and how often that had to wait.
fn pools(state: &Snapshot) -> Table {
    let mut table = table(["connections to", "asked for", "opened", "queued", "queued ms mean", "queued ms max"]);
    let key = attributes::DESTINATION_SERVER_NAME.key;
    let destination = |series: &Series<'_>| series.attributes.str(key).unwrap_or_default().to_owned();
    let opened = state.histograms(metrics::HTTP_CONNECTION_POOL_CONNECT_DURATION_MS.name, destination);
    let queued = state.histograms(metrics::HTTP_CONNECTION_POOL_QUEUE_DURATION_MS.name, destination);
    for (name, attempts) in state.sums(metrics::HTTP_CONNECTION_POOL_CONNECT_TOTAL.name, destination) {
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
fn loops(state: &Snapshot) -> Table {
    let mut table = table(["event loop lag in ms", "samples", "mean", "worst"]);
    let process = |series: &Series<'_>| {
        series.resource.attributes().str(attributes::SERVER_NAME.key).unwrap_or_default().to_owned()
    };
    for (name, lag) in state.histograms(metrics::EVENT_LOOP_LAG_MS.name, process) {
        table.add_row([name, lag.count.to_string(), figure(lag.mean()), figure(lag.max)]);
    }
    table
}

/// What each server held, and the host, if that was sampled.
fn memory(sample: Option<&MemorySample>) -> Table {
    let mut table = table(["memory in MB", "processes", "RSS", "RSS peak", "PSS", "PSS peak"]);
    let Some(sample) = sample else { return table };
    let amounts = |MemoryUsage { current, peak, .. }: MemoryUsage| [current, peak].map(megabytes);
    for server in &sample.servers {
        let amounts = [amounts(server.rss), amounts(server.pss)].into_iter().flatten();
        table.add_row([server.name.to_string(), server.processes.to_string()].into_iter().chain(amounts));
    }
    let blank = String::new;
    table.add_row(["all servers".to_owned(), blank(), blank(), blank(), megabytes(sample.pss()), blank()]);
    let [used, peak] = amounts(sample.host.used);
    table.add_row(["host, in use".to_owned(), blank(), used, peak, blank(), blank()]);
    table
}

fn megabytes(bytes: Option<u64>) -> String {
    #[expect(clippy::cast_precision_loss, reason = "a figure to look at")]
    bytes.map_or_else(|| "-".to_owned(), |bytes| format!("{:.1}", bytes as f64 / 1e6))
}

fn figure(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"))
}

/// How long each server took to be ready, stage by stage.
fn startup(state: &Snapshot) -> Table {
    let mut table = table(["start-up", "ready after ms", "of which, longest first"]);
    let stages = state.histograms(metrics::SERVER_STARTUP_STAGE_DURATION_MS.name, |series| {
        let text = |key| series.attributes.str(key).unwrap_or_default().to_owned();
        (text(attributes::SERVER_NAME.key), text(attributes::STARTUP_STAGE.key))
    });
    let mut servers: BTreeMap<String, Vec<(String, f64)>> = BTreeMap::new();
    for ((server, stage), seen) in stages {
        servers.entry(server).or_default().push((stage, seen.sum.unwrap_or_default()));
    }
    for (server, mut stages) in servers {
        stages.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        let ready: f64 = stages.iter().map(|(_, took)| took).sum();
        let parts: Vec<_> = stages.iter().map(|(stage, took)| format!("{stage} {took:.1}")).collect();
        table.add_row([server, format!("{ready:.1}"), parts.join(", ")]);
    }
    table
}
