//! What watching a thousand idle processes each second takes, beside reading their `statm` and nothing else.

use std::{
    error::Error,
    fs::{self, File},
    hint::black_box,
    os::unix::fs::FileExt as _,
    thread,
    time::Duration,
};

use gym_telemetry_core::MemoryMetrics;
use gym_telemetry_procfs::MemoryWatch;
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::metrics::SdkMeterProvider;

use crate::{measure::processor_time, say, targets::Target};

/// How long it is watched: longer than any reading stays fresh.
const SECONDS: u32 = 90;

pub(crate) fn measure() -> Result<(), Box<dyn Error>> {
    let targets: Vec<Target> = (0..1_000).map(|_| Target::sleep()).collect::<Result<_, _>>()?;
    let statm = |target: &Target| File::open(format!("/proc/{}/statm", target.pid()));
    let files: Vec<File> = targets.iter().map(statm).collect::<Result<_, _>>()?;
    let metrics = MemoryMetrics::new(&SdkMeterProvider::builder().build().meter("cost"));
    let watch = MemoryWatch::builder(metrics).watch("idle", "resources_servers", std::process::id()).start()?;
    // The first samples find everybody and read everything.
    thread::sleep(Duration::from_millis(5_500));
    let (before, mut floor) = (time_of_watch()?, Duration::ZERO);
    for _ in 0..SECONDS {
        let before = processor_time();
        read(&files);
        floor += processor_time() - before;
        thread::sleep(Duration::from_secs(1));
    }
    let used = time_of_watch()? - before;
    let sample = watch.stop();
    let server = sample.servers.first().ok_or("the server is not there")?;
    let percent = |time: Duration| time.as_secs_f64() / f64::from(SECONDS) * 100.0;
    say(&format!(
        "\n{} idle processes each second, PSS {}: {:.3} % of a core; `statm` alone, kept open: {:.3} %",
        server.processes,
        if server.pss.current.is_some() { "known" } else { "not known" },
        percent(used),
        percent(floor)
    ));
    drop(targets);
    Ok(())
}

/// What nobody can do without.
fn read(files: &[File]) {
    let mut text = [0_u8; 256];
    for file in files {
        black_box(file.read_at(&mut text, 0)).ok();
    }
}

/// What the thread of the watch has used of a processor.
fn time_of_watch() -> Result<Duration, Box<dyn Error>> {
    for task in fs::read_dir("/proc/self/task")? {
        let task = task?.path();
        if fs::read_to_string(task.join("comm"))?.trim() == "gym-memory" {
            let times = fs::read_to_string(task.join("schedstat"))?;
            return Ok(Duration::from_nanos(times.split_whitespace().next().ok_or("no times")?.parse()?));
        }
    }
    Err("the thread is not there".into())
}
