//! What a large process feels of being watched.

use std::time::Duration;

use anyhow::Result;
use gym_telemetry::{
    MemoryMetrics,
    procfs::{MemoryWatch, ProcFs, PssBudget},
};
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::metrics::{
    InMemoryMetricExporter, SdkMeterProvider,
    data::{AggregatedMetrics, MetricData},
};

use super::{bench::BENCH, compare::processor_time, target::Target};
use crate::{
    bench::Findings,
    measure::median,
    table::{Cell, Table},
    tell,
};

const GIGABYTES: usize = 8;

/// For how long it works while nobody watches, and after that while it is watched. The budget for readings grows in
/// both, so the first is short.
const ALONE: Duration = Duration::from_millis(500);
const WATCHED: Duration = Duration::from_secs(2);

const COLUMNS: [&str; 6] = ["memory", "ceiling, ms", "one reading, ms", "% slower", "longest sample, ms", "with PSS"];

/// No reading is longer than the sample that it belongs to.
const SAMPLE_DURATION: &str = "gym.telemetry.memory.sample_duration_ms";

const TITLE: &str = "A process that maps and unmaps memory in a loop: how much slower the loop is while it is watched, \
                     beside what one\nreading of its PSS takes. The first row has the default settings. A process \
                     that would take longer than the ceiling is\nnot read: of it, RSS is told alone.";

pub(super) fn measure(rounds: usize) -> Result<Findings> {
    tell(&format!("memory: watching a process with {GIGABYTES} GB"));
    let mut table = Table::new(BENCH.name, &COLUMNS);
    let mut target = Target::holding(GIGABYTES << 10)?;
    let before = processor_time();
    ProcFs::open("/proc")?.shares(target.pid())?;
    let reading = Cell::Figure((processor_time() - before).as_secs_f64() * 1e3, 1);
    for (ceiling, budget) in
        [("50", PssBudget::default()), ("1000", PssBudget::default().ceiling(Duration::from_secs(1)))]
    {
        let slowed = slowed(budget, &mut target, rounds)?;
        let cells = [Cell::Words(format!("{GIGABYTES} GB")), ceiling.into(), reading.clone()];
        table.row(cells.into_iter().chain(slowed));
    }
    Ok(table.findings(TITLE))
}

/// Lets it map and unmap memory in turn with and without a watch.
fn slowed(budget: PssBudget, target: &mut Target, rounds: usize) -> Result<[Cell; 3]> {
    let exporter = InMemoryMetricExporter::default();
    let provider = SdkMeterProvider::builder().with_periodic_exporter(exporter.clone()).build();
    let metrics = MemoryMetrics::new(&provider.meter("bench"));
    let watch = MemoryWatch::builder(metrics).pss(budget).watch("large", "resources_servers", target.pid()).start()?;
    let (mut ratios, mut with_pss) = (Vec::new(), 0_u32);
    for _ in 0..rounds {
        watch.stop();
        let alone = target.ask(ALONE)?;
        watch.start()?;
        ratios.push(target.ask(WATCHED)? / alone);
        with_pss += u32::from(watch.latest().pss().is_some());
    }
    provider.force_flush()?;
    let slower = (1.0 - median(ratios.into_iter())) * 100.0;
    let longest = longest(&exporter).map_or(Cell::Nothing, |longest| Cell::Figure(longest, 1));
    Ok([Cell::Figure(slower, 2), longest, Cell::Words(format!("{with_pss} of {rounds}"))])
}

/// The longest sample that was told of, in milliseconds.
fn longest(exporter: &InMemoryMetricExporter) -> Option<f64> {
    let exported = exporter.get_finished_metrics().ok()?;
    let metrics = exported.iter().flat_map(|resource| resource.scope_metrics()).flat_map(|scope| scope.metrics());
    let durations =
        metrics.filter(|metric| metric.name() == SAMPLE_DURATION).filter_map(|metric| match metric.data() {
            AggregatedMetrics::F64(MetricData::Histogram(histogram)) => Some(histogram.data_points()),
            _ => None,
        });
    durations.flatten().filter_map(|point| point.max()).max_by(f64::total_cmp)
}
