//! Single processes.

use std::{fs::File, hint::black_box, io::Read as _};

use anyhow::Result;
use gym_telemetry::procfs::ProcFs;
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

use super::{
    compare::{Reader, compare},
    peers::psutil,
    target::Target,
};
use crate::bench::Findings;

/// Resident memory of a process.
pub(super) fn rss(rounds: usize) -> Result<Findings> {
    let target = Target::sleep()?;
    let pid = target.pid();
    let mut proc = ProcFs::open("/proc")?;
    let peer = procfs::process::Process::new(pid.cast_signed())?;
    let mut system = System::new()?;
    let refresh = ProcessRefreshKind::nothing().with_memory();
    let readers = vec![
        Reader::new("open, read, close `statm`", 1, reading(vec![format!("/proc/{pid}/statm")])),
        Reader::new("ours", 1, || {
            black_box(proc.rss(pid)).ok();
        }),
        Reader::new("procfs", 1, || {
            black_box(peer.statm()).ok();
        }),
        Reader::new("sysinfo", 1, || {
            let one = [Pid::from_u32(pid)];
            black_box(system.refresh_processes_specifics(ProcessesToUpdate::Some(&one), true, refresh));
        }),
    ];
    Ok(compare("RSS of one process.", readers, rounds, &psutil(pid, "memory_info()")))
}

/// Resident and proportional memory of a process that has next to none.
pub(super) fn pss_of_small(rounds: usize) -> Result<Findings> {
    shares("RSS and PSS of one process, `sleep`.", &Target::sleep()?, rounds)
}

/// The same of one that has a little.
pub(super) fn pss_of_30_mb(rounds: usize) -> Result<Findings> {
    shares("RSS and PSS of one process with 30 MB.", &Target::holding(30)?, rounds)
}

fn shares(title: &str, target: &Target, rounds: usize) -> Result<Findings> {
    let pid = target.pid();
    let mut proc = ProcFs::open("/proc")?;
    let peer = procfs::process::Process::new(pid.cast_signed())?;
    let readers = vec![
        Reader::new("open, read, close `smaps_rollup`", 1, reading(vec![format!("/proc/{pid}/smaps_rollup")])),
        Reader::new("ours", 1, || {
            black_box(proc.shares(pid)).ok();
        }),
        Reader::new("procfs", 1, || {
            black_box(peer.smaps_rollup()).ok();
        }),
    ];
    Ok(compare(title, readers, rounds, &psutil(pid, "memory_full_info()")))
}

/// What nobody can do without: these files, read.
pub(super) fn reading(paths: Vec<String>) -> impl FnMut() {
    let mut text = [0_u8; 4096];
    move || {
        for path in &paths {
            black_box(File::open(path).and_then(|mut file| file.read(&mut text))).ok();
        }
    }
}
