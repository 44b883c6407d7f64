//! The host's memory, from `/proc/meminfo` and `/proc/pressure/memory`.

use gym_telemetry_core::{HostMemory, MemoryUsage, Pressure};

use crate::{parse, proc::ProcFs};

/// The host, with the most that any look at it has found in use.
#[derive(Debug, Default)]
pub(crate) struct Host {
    used: MemoryUsage,
}

impl Host {
    pub(crate) fn look(&mut self, proc: &mut ProcFs) -> HostMemory {
        let memory = proc.content(format_args!("meminfo")).map(parse::meminfo).unwrap_or_default();
        let used = memory.total.zip(memory.available).map(|(total, available)| total.saturating_sub(available));
        self.used.see(used);
        let mut host = HostMemory::default();
        host.total = memory.total;
        host.available = memory.available;
        host.used = self.used;
        host.pressure = proc.content(format_args!("pressure/memory")).map_or(Pressure::default(), parse::pressure);
        host
    }
}
