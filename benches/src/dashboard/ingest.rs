use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use gym_telemetry_collector::{
    Store,
    decode::{Format, decode},
};
use gym_telemetry_dashboard::history::{History, Settings};

use super::{
    bench::{BENCH, processor_time},
    exports::Exporter,
};
use crate::{
    bench::Findings,
    table::{Cell, Table},
    tell,
};

const PROCESSES: u64 = 200;
const SERIES: usize = 500;

/// Seconds of exports; the fine part of each ring is full by then.
const SECONDS: u64 = 300;

const MOST_BYTES: usize = 4 << 20;

const TITLE: &str = "Exports of 200 processes of 500 series each, once a second, from the bytes of a request to the \
                     history of each series,\non one thread. Figures are in processor time; the clock of the points runs \
                     as fast as they are taken in.";

pub(super) fn measure() -> Result<Findings> {
    tell(&format!("dashboard: {SECONDS} seconds of exports of {PROCESSES} processes"));
    let settings = Settings::new();
    let limits = settings.limits();
    let history = History::new(settings);
    let mut store = Store::observed(limits, history.observer());
    let start = history.now() * 1_000_000;
    let exporters: Vec<_> = (0..PROCESSES).map(|seed| Exporter::new(seed, SERIES, start)).collect();
    let series: usize = exporters.iter().map(Exporter::series).sum();
    let before = resident()?;
    let mut used = Duration::ZERO;
    for second in 1..=SECONDS {
        history.set_clock(start / 1_000_000 + second * 1000);
        for exporter in &exporters {
            let body = exporter.export(second);
            let since = processor_time();
            let answer = store.apply(decode(&body, Format::Protobuf, MOST_BYTES)?);
            used += processor_time().saturating_sub(since);
            ensure!(answer.partial_success.is_none(), "points were refused: {answer:?}");
        }
    }
    let points = (series as u64 * SECONDS) as f64;
    let columns = &["series", "points a second of one core", "% of a core at this load", "MB resident for it"];
    let mut table = Table::new(BENCH.name, columns);
    table.row([
        series.to_string().as_str().into(),
        Cell::Figure(points / used.as_secs_f64(), 0),
        Cell::Figure(used.as_secs_f64() / SECONDS as f64 * 1e2, 1),
        Cell::Figure(resident()?.saturating_sub(before) as f64 / 1e6, 0),
    ]);
    Ok(table.findings(TITLE))
}

/// The resident bytes of this process.
fn resident() -> Result<u64> {
    let text = std::fs::read_to_string("/proc/self/statm")?;
    let pages: u64 = text.split(' ').nth(1).context("`statm` is not as it was")?.parse()?;
    Ok(pages * rustix::param::page_size() as u64)
}
