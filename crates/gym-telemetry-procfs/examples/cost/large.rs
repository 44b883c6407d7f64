//! What a large process feels of being watched.

use std::{error::Error, time::Duration};

use gym_telemetry_core::MemoryMetrics;
use gym_telemetry_procfs::{MemoryWatch, ProcFs, PssBudget};
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::metrics::SdkMeterProvider;

use crate::{
    measure::{median, processor_time},
    say,
    targets::Target,
};

const ROUNDS: usize = 15;

pub(crate) fn measure() -> Result<(), Box<dyn Error>> {
    for gigabytes in [1, 8] {
        let mut target = Target::with_memory("faulting", gigabytes << 10)?;
        let before = processor_time();
        ProcFs::open("/proc")?.shares(target.pid())?;
        let took = (processor_time() - before).as_secs_f64() * 1e3;
        say(&format!("\n{gigabytes} GB that map and unmap more; reading PSS once takes {took:.0} ms"));
        slowed("in the default settings", PssBudget::default(), &mut target)?;
        slowed("with a ceiling of 1 s", PssBudget::default().ceiling(Duration::from_secs(1)), &mut target)?;
    }
    Ok(())
}

/// Lets it map and unmap memory in turn with and without a watch.
fn slowed(title: &str, budget: PssBudget, target: &mut Target) -> Result<(), Box<dyn Error>> {
    let metrics = MemoryMetrics::new(&SdkMeterProvider::builder().build().meter("cost"));
    let watch = MemoryWatch::builder(metrics).pss(budget).watch("large", "resources_servers", target.pid()).start()?;
    let mut ratios = Vec::new();
    let mut known = false;
    for _ in 0..ROUNDS {
        watch.stop();
        let alone = target.ask()?;
        watch.start()?;
        ratios.push(target.ask()? / alone);
        known |= watch.latest().servers.iter().any(|server| server.pss.current.is_some());
    }
    let slowed = (1.0 - median(ratios.into_iter())) * 100.0;
    let known = if known { "read" } else { "not read" };
    say(&format!("watched {title} (PSS {known}): slowed by {slowed:.2} %"));
    Ok(())
}
