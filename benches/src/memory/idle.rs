//! What watching a thousand idle processes each second takes, beside reading their `statm` and nothing else.

use std::{
    fs::{self, File},
    hint::black_box,
    io,
    os::unix::fs::FileExt as _,
    thread,
    time::Duration,
};

use anyhow::{Context as _, Result};
use gym_telemetry::{MemoryMetrics, procfs::MemoryWatch};
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::metrics::SdkMeterProvider;

use super::{bench::BENCH, compare::processor_time, trees::targets};
use crate::{
    bench::Findings,
    table::{Cell, Table},
    tell,
};

/// For how many seconds they are watched. In so many everything is read anew once, though nothing changes.
const SECONDS: u32 = 45;

/// In which the first samples find everybody and read everything.
const BEFORE: Duration = Duration::from_millis(5_500);

const TITLE: &str = "Idle processes watched each second, in the default settings.";

pub(super) fn measure(_: usize) -> Result<Findings> {
    tell("memory: watching idle processes");
    let targets = targets()?;
    let statm = targets.iter().map(|target| File::open(format!("/proc/{}/statm", target.pid())));
    let files = statm.collect::<io::Result<Vec<_>>>()?;
    let metrics = MemoryMetrics::new(&SdkMeterProvider::builder().build().meter("bench"));
    let watch = MemoryWatch::builder(metrics).watch("idle", "resources_servers", std::process::id()).start()?;
    thread::sleep(BEFORE);
    let (before, mut floor) = (time_of_watch()?, Duration::ZERO);
    for _ in 0..SECONDS {
        let before = processor_time();
        read(&files);
        floor += processor_time() - before;
        thread::sleep(Duration::from_secs(1));
    }
    let used = time_of_watch()?.saturating_sub(before);
    let sample = watch.stop();
    drop(targets);
    let server = sample.servers.first().context("the server is not there")?;
    let mut table = Table::new(BENCH.name, &["what", "processes", "% of a core"]);
    let percent = |time: Duration| Cell::Figure(time.as_secs_f64() / f64::from(SECONDS) * 100.0, 3);
    table.row(["`statm` alone, kept open".into(), Cell::Words(files.len().to_string()), percent(floor)]);
    let what = if server.pss.current.is_some() { "ours, RSS and PSS" } else { "ours, RSS" };
    table.row([what.into(), Cell::Words(server.processes.to_string()), percent(used)]);
    Ok(table.findings(TITLE))
}

/// What nobody can do without.
fn read(files: &[File]) {
    let mut text = [0_u8; 256];
    for file in files {
        black_box(file.read_at(&mut text, 0)).ok();
    }
}

/// What the thread of the watch has used of a processor.
fn time_of_watch() -> Result<Duration> {
    for task in fs::read_dir("/proc/self/task")? {
        let task = task?.path();
        if fs::read_to_string(task.join("comm"))?.trim() == "gym-memory" {
            let times = fs::read_to_string(task.join("schedstat"))?;
            return Ok(Duration::from_nanos(times.split_whitespace().next().context("no times")?.parse()?));
        }
    }
    anyhow::bail!("the thread of the watch is not there")
}
