//! A thousand processes.

use std::{hint::black_box, io};

use anyhow::Result;
use gym_telemetry::procfs::{ProcFs, ProcessTree};
use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System};

use super::{
    compare::{Reader, compare},
    processes::reading,
    target::Target,
};
use crate::bench::Findings;

const PROCESSES: u32 = 1_000;

/// Who belongs to a tree.
pub(super) fn tree(rounds: usize) -> Result<Findings> {
    let targets = targets()?;
    let (mut proc, mut tree) = watched()?;
    let lists = reading(paths(&targets, |pid| format!("/proc/{pid}/task/{pid}/children")));
    let readers = vec![
        Reader::new("open, read, close each `children`", PROCESSES, lists),
        Reader::new("ours", PROCESSES, || {
            black_box(tree.refresh(&mut proc)).ok();
        }),
    ];
    Ok(compare("The tree of 1 000 processes.", readers, rounds, &[]))
}

/// What a tree's processes have in memory.
pub(super) fn rss(rounds: usize) -> Result<Findings> {
    let targets = targets()?;
    let (mut proc, mut tree) = watched()?;
    let mut system = System::new()?;
    let refresh = ProcessRefreshKind::nothing().with_memory();
    let files = reading(paths(&targets, |pid| format!("/proc/{pid}/statm")));
    let readers = vec![
        Reader::new("open, read, close each `statm`", PROCESSES, files),
        Reader::new("ours", PROCESSES, || {
            black_box(tree.measure(&mut proc));
        }),
        Reader::new("sysinfo, of all processes", PROCESSES, || {
            black_box(system.refresh_processes_specifics(ProcessesToUpdate::All, true, refresh));
        }),
    ];
    Ok(compare("RSS of 1 000 processes whose tree is known.", readers, rounds, &[]))
}

pub(super) fn targets() -> io::Result<Vec<Target>> {
    (0..PROCESSES).map(|_| Target::sleep()).collect()
}

/// The tree below this process, as it is now.
fn watched() -> io::Result<(ProcFs, ProcessTree)> {
    let mut proc = ProcFs::open("/proc")?;
    let mut tree = ProcessTree::new(&mut proc, std::process::id())?;
    tree.refresh(&mut proc)?;
    Ok((proc, tree))
}

fn paths(targets: &[Target], file: fn(u32) -> String) -> Vec<String> {
    targets.iter().map(|target| file(target.pid())).collect()
}
