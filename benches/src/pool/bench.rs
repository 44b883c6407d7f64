use anyhow::Result;
use rustix::process::{Resource, getrlimit, setrlimit};

use super::{calls, hosts, slots};
use crate::bench::Bench;

pub(super) const NAME: &str = "pool";

/// The benchmark.
pub(crate) const BENCH: Bench = Bench {
    name: NAME,
    compared: &["hyper", "hyper-util", "reqwest", "tokio"],
    subjects: || {
        allow_many_sockets()?;
        let mut all = calls::subjects()?;
        all.extend(slots::subjects());
        Ok(all)
    },
    more: Some(|_| hosts::findings()),
};

/// A thousand hosts have a socket each, here and in the servers.
fn allow_many_sockets() -> Result<()> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    Ok(setrlimit(Resource::Nofile, limit)?)
}
