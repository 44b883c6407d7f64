//! How long ready tasks wait on a runtime that has nothing to do.

use std::{
    io,
    thread::{self, ScopedJoinHandle},
    time::{Duration, Instant},
};

use anyhow::{Result, anyhow};
use gym_telemetry::{EventLoopMetrics, runtime::LagWatcher};
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use tokio::{
    runtime::{Builder, Runtime},
    sync::oneshot,
};

use super::subjects::BENCH;
use crate::{
    bench::Findings,
    table::{Cell, Table},
    tell,
};

/// How long each runtime is watched.
const WATCHED: Duration = Duration::from_secs(30);

/// The watcher's own default.
const INTERVAL: Duration = Duration::from_millis(100);

const TITLE: &str = "Waits of a ready task on an idle runtime in milliseconds, sampled each 100 ms: by the watcher, \
                     and by what a\ntimer of tokio's is late.";

pub(super) fn measure() -> Result<Findings> {
    tell("runtime: watching idle runtimes");
    let kinds = [("current thread", Builder::new_current_thread as fn() -> Builder), ("two workers", two_workers)];
    let mut table = Table::new(BENCH.name, &["runtime", "measured by", "samples", "least", "median", "99 %", "most"]);
    thread::scope(|scope| {
        let measuring = kinds.into_iter().flat_map(|(kind, builder)| {
            let ours = scope.spawn(move || watched(&builder().build()?));
            let timers = scope.spawn(move || timed(&builder().enable_time().build()?));
            [(kind, "`LagWatcher`", ours), (kind, "`tokio::time::sleep`", timers)]
        });
        // All of them are spawned before the first is joined.
        for (kind, by, waits) in measuring.collect::<Vec<_>>() {
            table.row(row(kind, by, waits)?);
        }
        Ok(table.findings(TITLE))
    })
}

fn two_workers() -> Builder {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(2);
    builder
}

/// What the watcher finds: a look often enough sees the sum of all waits grow by one sample at a time.
fn watched(runtime: &Runtime) -> io::Result<Vec<Duration>> {
    let event_loops = EventLoopMetrics::new(&SdkMeterProvider::builder().build().meter("bench"));
    let watcher = LagWatcher::new(event_loops.clone())?;
    watcher.watch("idle", runtime.handle());
    let (stop, stopped) = oneshot::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(|| runtime.block_on(stopped));
        let (since, mut waits, mut before) = (Instant::now(), Vec::new(), (0, Duration::ZERO));
        while since.elapsed() < WATCHED {
            thread::sleep(INTERVAL / 4);
            let now = event_loops.snapshot().first().map_or(before, |seen| (seen.samples, seen.waited));
            if now.0 == before.0 + 1 {
                waits.push(now.1 - before.1);
            }
            before = now;
        }
        drop(stop);
        Ok(waits)
    })
}

/// What a task finds that sleeps: how much later than asked for it runs again.
fn timed(runtime: &Runtime) -> io::Result<Vec<Duration>> {
    let sleeping = runtime.spawn(async {
        let (since, mut waits) = (Instant::now(), Vec::new());
        while since.elapsed() < WATCHED {
            let asleep = Instant::now();
            tokio::time::sleep(INTERVAL).await;
            waits.push(asleep.elapsed().saturating_sub(INTERVAL));
        }
        waits
    });
    runtime.block_on(sleeping).map_err(io::Error::other)
}

fn row(kind: &str, by: &str, waits: ScopedJoinHandle<'_, io::Result<Vec<Duration>>>) -> Result<[Cell; 7]> {
    let mut waits = waits.join().map_err(|_| anyhow!("a measuring thread panicked"))??;
    waits.sort_unstable();
    let at = |hundredths: usize| {
        let index = (waits.len() * hundredths / 100).min(waits.len().saturating_sub(1));
        waits.get(index).map_or(Cell::Nothing, |wait| Cell::Figure(wait.as_secs_f64() * 1e3, 3))
    };
    let samples = Cell::Words(waits.len().to_string());
    Ok([kind.into(), by.into(), samples, at(0), at(50), at(99), at(100)])
}
