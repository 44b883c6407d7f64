//! What watching a thousand idle processes each second takes.

use std::{error::Error, fs, thread, time::Duration};

use gym_telemetry_core::MemoryMetrics;
use gym_telemetry_procfs::MemoryWatch;
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::metrics::SdkMeterProvider;

use crate::{say, targets::Target};

/// How long it is watched: longer than any reading stays fresh.
const SECONDS: u32 = 90;

pub(crate) fn measure() -> Result<(), Box<dyn Error>> {
    let targets: Vec<Target> = (0..1_000).map(|_| Target::sleep()).collect::<Result<_, _>>()?;
    let metrics = MemoryMetrics::new(&SdkMeterProvider::builder().build().meter("cost"));
    let watch = MemoryWatch::builder(metrics).watch("idle", "resources_servers", std::process::id()).start()?;
    // The first samples find everybody and read everything.
    thread::sleep(Duration::from_secs(5));
    let before = processor_time()?;
    thread::sleep(Duration::from_secs(1) * SECONDS);
    let used = processor_time()? - before;
    let sample = watch.stop();
    let server = sample.servers.first().ok_or("the server is not there")?;
    let share = used.as_secs_f64() / f64::from(SECONDS) * 100.0;
    say(&format!(
        "\n{} idle processes each second, PSS {}: {share:.3} % of a core",
        server.processes,
        if server.pss.current.is_some() { "known" } else { "not known" }
    ));
    drop(targets);
    Ok(())
}

/// What the thread of the watch has used of a processor.
fn processor_time() -> Result<Duration, Box<dyn Error>> {
    for task in fs::read_dir("/proc/self/task")? {
        let task = task?.path();
        if fs::read_to_string(task.join("comm"))?.trim() == "gym-memory" {
            let times = fs::read_to_string(task.join("schedstat"))?;
            return Ok(Duration::from_nanos(times.split_whitespace().next().ok_or("no times")?.parse()?));
        }
    }
    Err("the thread is not there".into())
}
