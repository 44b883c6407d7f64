use std::{sync::Arc, time::Duration};

/// What one look at the memory of a fleet found. What it does not hold is not reported.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct MemorySample {
    /// The servers that run.
    pub servers: Vec<ServerMemory>,
    /// The host.
    pub host: HostMemory,
    /// The control group that the sampler runs in.
    pub container: ContainerMemory,
}

/// One server: its root process and all processes below it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ServerMemory {
    /// The server's name.
    pub name: Arc<str>,
    /// The server's type.
    pub server_type: Arc<str>,
    /// The id of its root process.
    pub pid: u32,
    /// How many processes it has; one that ended and was not yet waited for is among them.
    pub processes: u64,
    /// Resident memory, summed over the processes: what they share counts for each of them.
    pub rss: MemoryUsage,
    /// Proportional memory, summed over the processes: what they share counts once.
    pub pss: MemoryUsage,
    /// How old the oldest reading in the sum of proportional memory is, where there is one.
    pub pss_age: Option<Duration>,
}

/// The host's memory. What its kernel does not tell is absent.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct HostMemory {
    /// All there is.
    pub total: Option<u64>,
    /// What programs can have without swapping.
    pub available: Option<u64>,
    /// What is not available.
    pub used: MemoryUsage,
    /// How long tasks waited for memory.
    pub pressure: Pressure,
}

/// The memory of the control group whose limit binds; without a limit, of the sampler's own group.
///
/// What the kernel does not tell is absent.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct ContainerMemory {
    /// What the group holds, page cache included, and the most that the kernel saw it hold.
    pub used: MemoryUsage,
    /// The limit; none where there is none below the host's memory.
    pub limit: Option<u64>,
    /// How many processes of the group the kernel has killed for want of memory.
    pub oom_kills: Option<u64>,
    /// How long tasks of the group waited for memory.
    pub pressure: Pressure,
}

/// An amount of memory in bytes: now, and the most that was seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryUsage {
    /// The amount now, where it is known.
    pub current: Option<u64>,
    /// The most so far, where anything was seen.
    pub peak: Option<u64>,
}

/// How much of the time tasks waited for memory.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct Pressure {
    /// At least one task waited.
    pub some: Option<Stall>,
    /// All tasks that had anything to do waited.
    pub full: Option<Stall>,
}

/// Fractions of the time, from 0 to 1, over three windows that end now.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct Stall {
    /// Of the last 10 seconds.
    pub avg10: f64,
    /// Of the last minute.
    pub avg60: f64,
    /// Of the last 5 minutes.
    pub avg300: f64,
}

impl MemorySample {
    /// The proportional memory of all servers together; none unless it is known of each.
    #[must_use]
    pub fn pss(&self) -> Option<u64> {
        self.servers.iter().map(|server| server.pss.current).sum()
    }
}

impl ServerMemory {
    /// A server of which nothing has been seen yet.
    #[must_use]
    pub fn new(name: impl Into<Arc<str>>, server_type: impl Into<Arc<str>>, pid: u32) -> Self {
        Self {
            name: name.into(),
            server_type: server_type.into(),
            pid,
            processes: 0,
            rss: MemoryUsage::default(),
            pss: MemoryUsage::default(),
            pss_age: None,
        }
    }
}

impl MemoryUsage {
    /// Takes note of the present amount, or that it is not known. A peak stays.
    pub fn see(&mut self, current: Option<u64>) {
        self.current = current;
        self.peak = self.peak.max(current);
    }
}

impl Stall {
    /// The three averages, as fractions.
    #[must_use]
    pub fn new(avg10: f64, avg60: f64, avg300: f64) -> Self {
        Self { avg10, avg60, avg300 }
    }
}
