use std::{fmt::Write as _, time::Duration};

use allocation_counter::measure;
use anyhow::Result;
use serde::Serialize;
use tokio::{
    runtime::{Builder, Runtime},
    time::sleep,
};

use super::{
    bench::NAME,
    calls::WIDE,
    clients::{self, get, read},
    server,
};
use crate::{bench::Findings, child::Child};

const HOSTS: usize = 1_000;
const IDLE: Duration = Duration::from_secs(1);

/// What a client keeps of hosts that were called once each.
#[derive(Debug, Serialize)]
struct Kept {
    bench: &'static str,
    stack: &'static str,
    bytes_per_idle_host: i64,
    /// What of it is left after the idle timeout.
    bytes_left: i64,
    /// Where the client says.
    hosts_left: Option<usize>,
}

/// How much memory an idle host takes, and whether it is forgotten.
pub(super) fn findings() -> Result<Findings> {
    let server = Child::start(server::NAME)?;
    let (address, hosts) = (server.address(), clients::hosts(server.address(), HOSTS)?);
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let (legacy, ours) = (clients::legacy(address, IDLE), clients::pooled(address, WIDE, IDLE));
    let of_legacy = kept("legacy client", &runtime, async || {
        for host in &hosts {
            read(legacy.request(get(host.clone())).await?.into_body()).await?;
        }
        Ok(())
    })?;
    let of_ours = kept("ours", &runtime, async || {
        for host in &hosts {
            read(ours.request(get(host.clone())).await?.into_body()).await?;
        }
        Ok(())
    })?;
    let all = [of_legacy, Kept { hosts_left: Some(ours.snapshot().hosts), ..of_ours }];
    let json = all.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    Ok(Findings { text: table(&all), json })
}

/// What is there on the client's side after the calls, and once they are long over.
fn kept(stack: &'static str, runtime: &Runtime, calls: impl AsyncFnOnce() -> Result<()>) -> Result<Kept> {
    let mut result = Ok(());
    let open = measure(|| result = runtime.block_on(calls())).bytes_current;
    result?;
    let closed = measure(|| runtime.block_on(sleep(3 * IDLE))).bytes_current;
    let bytes_per_idle_host = open / HOSTS as i64;
    Ok(Kept { bench: NAME, stack, bytes_per_idle_host, bytes_left: open + closed, hosts_left: None })
}

fn table(all: &[Kept]) -> String {
    let mut text = format!(
        "Of {HOSTS} hosts that were called once each, with a connection to each that lies idle, and after the idle \
         timeout:\n\n\
         | client | bytes an idle host | bytes left | hosts left |\n| --- | --: | --: | --: |\n"
    );
    for one in all {
        let hosts = one.hosts_left.map_or_else(String::new, |hosts| hosts.to_string());
        let _ = writeln!(text, "| {} | {} | {} | {hosts} |", one.stack, one.bytes_per_idle_host, one.bytes_left);
    }
    text
}
