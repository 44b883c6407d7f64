use std::fs;

use rustix::process::{Resource, getrlimit};

/// What the system allows, as far as it can be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct System {
    /// The soft limit of this process's file descriptors.
    pub(super) descriptors: Option<u64>,
    /// From how many ports one destination can be connected to.
    pub(super) ports: Option<u64>,
}

impl System {
    pub(super) fn read() -> Self {
        let range = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").ok();
        Self { descriptors: getrlimit(Resource::Nofile).current, ports: range.as_deref().and_then(ports) }
    }
}

/// How many ports a range has that is written as its first and its last.
pub(super) fn ports(range: &str) -> Option<u64> {
    let mut ends = range.split_whitespace().map(|end| end.parse::<u64>().ok());
    let (first, last) = (ends.next()??, ends.next()??);
    last.checked_sub(first).map(|between| between + 1)
}
