use gym_telemetry_core::{CpuTime, ProcessSource};

/// Reads this process's figures where there is no `/proc`: processor time on Unix, resident memory where it can be had.
///
/// Threads and open files are absent.
#[derive(Debug, Default)]
pub struct ThisProcess(());

impl ThisProcess {
    /// The process that calls.
    #[must_use]
    pub fn new() -> Self {
        Self(())
    }
}

impl ProcessSource for ThisProcess {
    #[cfg(unix)]
    fn cpu_time(&self) -> Option<CpuTime> {
        use std::time::Duration;

        use nix::sys::{
            resource::{UsageWho, getrusage},
            time::TimeVal,
        };

        let duration = |time: TimeVal| {
            let seconds = u64::try_from(time.tv_sec()).ok()?;
            Some(Duration::from_secs(seconds) + Duration::from_micros(u64::try_from(time.tv_usec()).ok()?))
        };
        let usage = getrusage(UsageWho::RUSAGE_SELF).ok()?;
        Some(CpuTime { user: duration(usage.user_time())?, system: duration(usage.system_time())? })
    }

    #[cfg(not(unix))]
    fn cpu_time(&self) -> Option<CpuTime> {
        None
    }

    fn resident_memory(&self) -> Option<u64> {
        u64::try_from(memory_stats::memory_stats()?.physical_mem).ok()
    }

    fn threads(&self) -> Option<u64> {
        None
    }

    fn open_file_descriptors(&self) -> Option<u64> {
        None
    }
}
