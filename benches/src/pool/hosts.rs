use std::{fmt::Write as _, time::Duration};

use allocation_counter::measure;
use anyhow::Result;
use serde::Serialize;
use tokio::{
    runtime::{Builder, Runtime},
    time::{Instant, sleep},
};

use super::{
    bench::NAME,
    calls::WIDE,
    clients::{self, get, read},
    server,
};
use crate::{bench::Findings, child::Child};

const HOSTS: usize = 1_000;
/// Long enough for all of them to be called before the first is forgotten.
const IDLE: Duration = Duration::from_secs(10);

/// What a client keeps of hosts that were called once each.
#[derive(Debug, Serialize)]
struct Kept {
    bench: &'static str,
    stack: &'static str,
    bytes_per_idle_host: i64,
    after_idle_timeout: Option<Left>,
}

/// What is left of them.
#[derive(Debug, Serialize)]
struct Left {
    bytes: i64,
    hosts: usize,
}

/// How much memory an idle host takes, and whether it is forgotten.
pub(super) fn findings() -> Result<Findings> {
    let server = Child::start(server::NAME)?;
    let (address, hosts) = (server.address(), clients::hosts(server.address(), HOSTS)?);
    let [runtime_of_legacy, runtime] = [runtime()?, runtime()?];
    let (legacy, ours) = (clients::legacy(address, IDLE), clients::pooled(address, WIDE, IDLE));
    let bytes_of_legacy = allocated(&runtime_of_legacy, async || {
        for host in &hosts {
            read(legacy.request(get(host.clone())).await?.into_body()).await?;
        }
        Ok(())
    })?;
    let bytes_of_ours = allocated(&runtime, async || {
        for host in &hosts {
            read(ours.request(get(host.clone())).await?.into_body()).await?;
        }
        Ok(())
    })?;
    drop((legacy, runtime_of_legacy));
    let freed = allocated(&runtime, async || {
        let end = Instant::now() + 2 * IDLE;
        while ours.snapshot().hosts > 0 && Instant::now() < end {
            sleep(IDLE / 100).await;
        }
        Ok(())
    })?;
    let left = Left { bytes: bytes_of_ours + freed, hosts: ours.snapshot().hosts };
    let kept = |stack, bytes, after_idle_timeout| Kept {
        bench: NAME,
        stack,
        bytes_per_idle_host: bytes / HOSTS as i64,
        after_idle_timeout,
    };
    let all = [kept("legacy client", bytes_of_legacy, None), kept("ours", bytes_of_ours, Some(left))];
    let json = all.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    Ok(Findings { text: table(&all), json })
}

fn runtime() -> Result<Runtime> {
    Ok(Builder::new_current_thread().enable_all().build()?)
}

/// By how many bytes the memory in use has grown.
fn allocated(runtime: &Runtime, work: impl AsyncFnOnce() -> Result<()>) -> Result<i64> {
    let mut result = Ok(());
    let grown = measure(|| result = runtime.block_on(work())).bytes_current;
    result.map(|()| grown)
}

fn table(all: &[Kept]) -> String {
    let mut text = format!(
        "What a client keeps of {HOSTS} hosts that were called once each, with the connection to each that lies idle,\n\
         and after the idle timeout:\n\n\
         | client | bytes an idle host | bytes left of all | hosts left |\n| --- | --: | --: | --: |\n"
    );
    for Kept { stack, bytes_per_idle_host, after_idle_timeout, .. } in all {
        let left = after_idle_timeout
            .as_ref()
            .map_or_else(|| " | ".to_owned(), |left| format!("{} | {}", left.bytes, left.hosts));
        let _ = writeln!(text, "| {stack} | {bytes_per_idle_host} | {left} |");
    }
    text
}
