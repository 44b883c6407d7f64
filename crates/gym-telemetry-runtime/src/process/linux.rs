use std::{fs, path::Path, time::Duration};

use gym_telemetry_core::{CpuTime, ProcessSource};
use procfs::process::Process;

/// Reads this process's figures from `/proc/self`, whose folder it keeps open.
///
/// Nothing here runs on a runtime: whoever exports reads. Where `/proc` is not mounted, nothing can be read.
///
/// Each reading takes microseconds, however large the process is, with one exception: before Linux 6.2 the kernel does
/// not tell the number of open files, and they are listed, which takes microseconds for each.
#[derive(Debug)]
pub struct ThisProcess {
    process: Option<Process>,
}

impl ThisProcess {
    /// The process that calls.
    #[must_use]
    pub fn new() -> Self {
        let process = Process::myself()
            .inspect_err(|error| {
                tracing::warn!(target: "gym_telemetry", %error, "nothing can be read of this process");
            })
            .ok();
        Self { process }
    }
}

impl Default for ThisProcess {
    fn default() -> Self {
        Self::new()
    }
}

impl ProcessSource for ThisProcess {
    fn cpu_time(&self) -> Option<CpuTime> {
        let stat = self.process.as_ref()?.stat().ok()?;
        let ticks = procfs::ticks_per_second();
        let spent = |spent: u64| Duration::from_secs_f64(spent as f64 / ticks as f64);
        Some(CpuTime { user: spent(stat.utime), system: spent(stat.stime) })
    }

    fn resident_memory(&self) -> Option<u64> {
        Some(self.process.as_ref()?.statm().ok()?.resident * procfs::page_size())
    }

    fn threads(&self) -> Option<u64> {
        u64::try_from(self.process.as_ref()?.stat().ok()?.num_threads).ok()
    }

    fn open_file_descriptors(&self) -> Option<u64> {
        let folder = Path::new("/proc/self/fd");
        match fs::metadata(folder).ok()?.len() {
            0 => listed(folder),
            open => Some(open),
        }
    }
}

/// How many open files a listing shows, less the one that it opens itself.
fn listed(folder: &Path) -> Option<u64> {
    Some(fs::read_dir(folder).ok()?.count().saturating_sub(1) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ways of counting; other tests open and close files meanwhile, so they are asked until they agree.
    #[test]
    fn a_listing_shows_as_many_as_the_kernel_tells() {
        let process = ThisProcess::new();
        let agree = || process.open_file_descriptors() == listed(Path::new("/proc/self/fd"));
        assert!((0..1_000).any(|_| agree()));
    }
}
