//! What each server did and held.

use std::collections::BTreeMap;

use comfy_table::Table;
use gym_telemetry::{
    MemorySample, MemoryUsage,
    conventions::{attributes, metrics},
};
use gym_telemetry_collector::Snapshot;

use super::table::{megabytes, table};
use crate::supervisor::Ended;

/// Where each server's requests went.
pub(super) fn requests(ended: &[Ended]) -> Table {
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

/// What each server held, and the host, if that was sampled.
pub(super) fn memory(sample: Option<&MemorySample>) -> Table {
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

/// How long each server took to be ready, stage by stage.
pub(super) fn startup(state: &Snapshot) -> Table {
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
