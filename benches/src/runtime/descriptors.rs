//! What counting many open files costs.

use std::{fs, fs::File, hint::black_box, time::Instant};

use anyhow::Result;
use gym_telemetry::{ProcessSource as _, runtime::ThisProcess};
use rustix::process::{Resource, getrlimit, setrlimit};

use super::subjects::BENCH;
use crate::{
    bench::Findings,
    measure::median,
    table::{Cell, Table},
    tell,
};

const OPEN: [u32; 4] = [100, 1_000, 10_000, 50_000];

/// How often each is counted.
const TIMES: usize = 100;

const TITLE: &str = "Counting open files in microseconds: as the kernel tells their number since Linux 6.2, and by \
                     listing them.";

pub(super) fn measure() -> Result<Findings> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit)?;
    let mut table = Table::new(BENCH.name, &["open files", "`ThisProcess`", "listing"]);
    let mut files = Vec::new();
    let process = ThisProcess::new();
    for open in OPEN {
        if limit.current.is_some_and(|most| u64::from(open) + 100 > most) {
            tell(&format!("runtime: {open} open files are more than this process may have"));
            continue;
        }
        while files.len() < open as usize {
            files.push(File::open("/dev/null")?);
        }
        let ours = time(|| process.open_file_descriptors().is_some());
        let listing = time(|| fs::read_dir("/proc/self/fd").is_ok_and(|listed| listed.count() > 0));
        table.row([Cell::Words(open.to_string()), Cell::Figure(ours, 1), Cell::Figure(listing, 1)]);
    }
    Ok(table.findings(TITLE))
}

/// The median of some times in microseconds.
fn time(work: impl Fn() -> bool) -> f64 {
    median((0..TIMES).map(|_| {
        let since = Instant::now();
        black_box(work());
        since.elapsed().as_secs_f64() * 1e6
    }))
}
