//! What the watcher itself uses of a processor.

use std::{thread, time::Duration};

use anyhow::{Context as _, Result};
use gym_telemetry::{
    EventLoopMetrics,
    runtime::{LagSettings, LagWatcher},
};
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use rustix::time::{ClockId, clock_gettime};
use tokio::runtime::{Builder, Runtime};

use super::subjects::BENCH;
use crate::{
    bench::Findings,
    callgrind,
    table::{Cell, Table},
    tell,
};

/// A look takes a millisecond for most of which nobody does anything: its instructions are what it costs.
pub(super) const LOOK: &str = "a look each millisecond, and its sample";

/// How long a runtime is watched.
const WATCHED: Duration = Duration::from_secs(30);

/// Looks a second at the default interval.
const LOOKS: f64 = 10.0;

const TITLE: &str = "What a runtime of one worker and its watcher use of a processor at the default interval, less \
                     what the runtime uses\nalone.";

/// Waits for so many looks at an idle runtime, as often as the watcher allows.
pub(super) fn look(events: u64) {
    let watched =
        runtime().and_then(|runtime| Ok((watch(&runtime, LagSettings::new().interval(Duration::ZERO))?, runtime)));
    let Ok(((event_loops, _watcher), _runtime)) = watched else { return };
    while event_loops.snapshot().first().is_none_or(|seen| seen.samples < events) {
        thread::sleep(Duration::from_millis(10));
    }
}

pub(super) fn measure() -> Result<Findings> {
    tell("runtime: what watching costs");
    let instructions = callgrind::instructions(BENCH.name, LOOK, false)?;
    let runtime = runtime()?;
    let alone = used();
    let watching = watch(&runtime, LagSettings::new())?;
    let used = used().saturating_sub(alone);
    drop(watching);
    let share = used.as_secs_f64() / WATCHED.as_secs_f64();
    let columns = &["watched", "µs a second", "% of a core", "instructions a second"];
    let mut table = Table::new(BENCH.name, columns);
    table.row([
        "each 100 ms".into(),
        Cell::Figure(share * 1e6, 0),
        Cell::Figure(share * 1e2, 4),
        instructions.map_or(Cell::Nothing, |one| Cell::Figure(one * LOOKS, 0)),
    ]);
    Ok(table.findings(TITLE))
}

fn watch(runtime: &Runtime, settings: LagSettings) -> Result<(EventLoopMetrics, LagWatcher)> {
    let event_loops = EventLoopMetrics::new(&SdkMeterProvider::builder().build().meter("bench"));
    let watcher = LagWatcher::with_settings(event_loops.clone(), settings)?;
    watcher.watch("idle", runtime.handle());
    Ok((event_loops, watcher))
}

fn runtime() -> Result<Runtime> {
    Builder::new_multi_thread().worker_threads(1).build().context("no runtime")
}

/// What this process uses of a processor while nobody does anything on purpose.
fn used() -> Duration {
    let now = || Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default();
    let before = now();
    thread::sleep(WATCHED);
    now().saturating_sub(before)
}
