//! Single processes and trees.

use std::{error::Error, fs::File, hint::black_box, io::Read as _, process::Command};

use gym_telemetry_procfs::{ProcFs, ProcessTree};
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

use crate::{
    measure::{Subject, compare},
    say,
    targets::Target,
};

/// Resident memory of a process.
pub(crate) fn rss() -> Result<(), Box<dyn Error>> {
    let target = Target::sleep()?;
    let pid = target.pid();
    let path = format!("/proc/{pid}/statm");
    let mut proc = ProcFs::open("/proc")?;
    let peer = procfs::process::Process::new(pid.cast_signed())?;
    let mut system = System::new()?;
    let refresh = ProcessRefreshKind::nothing().with_memory();
    let subjects = vec![
        Subject::new("open, read, close `statm`", 1, reading(vec![path])),
        Subject::new("ours", 1, || {
            black_box(proc.rss(pid)).ok();
        }),
        Subject::new("procfs", 1, || {
            black_box(peer.statm()).ok();
        }),
        Subject::new("sysinfo", 1, || {
            black_box(system.refresh_processes_specifics(
                ProcessesToUpdate::Some(&[Pid::from_u32(pid)]),
                true,
                refresh,
            ));
        }),
    ];
    compare("RSS", subjects);
    psutil(pid, "memory_info()");
    Ok(())
}

/// Resident and proportional memory of a small process, and of one with 30 MB.
pub(crate) fn pss() -> Result<(), Box<dyn Error>> {
    for (title, target) in
        [("RSS and PSS", Target::sleep()?), ("the same, of 30 MB", Target::with_memory("holding", 30)?)]
    {
        let pid = target.pid();
        let path = format!("/proc/{pid}/smaps_rollup");
        let mut proc = ProcFs::open("/proc")?;
        let peer = procfs::process::Process::new(pid.cast_signed())?;
        let subjects = vec![
            Subject::new("open, read, close `smaps_rollup`", 1, reading(vec![path])),
            Subject::new("ours", 1, || {
                black_box(proc.shares(pid)).ok();
            }),
            Subject::new("procfs", 1, || {
                black_box(peer.smaps_rollup()).ok();
            }),
        ];
        compare(title, subjects);
        psutil(pid, "memory_full_info()");
    }
    Ok(())
}

/// The processes of a tree, and then their memory too.
pub(crate) fn tree() -> Result<(), Box<dyn Error>> {
    let targets: Vec<Target> = (0..1_000).map(|_| Target::sleep()).collect::<Result<_, _>>()?;
    let paths = |file: fn(u32) -> String| targets.iter().map(|target| file(target.pid())).collect();
    let mut proc = ProcFs::open("/proc")?;
    let mut tree = ProcessTree::new(&mut proc, std::process::id())?;
    let look = || {
        black_box(tree.refresh(&mut proc)).ok();
    };
    let lists = reading(paths(|pid| format!("/proc/{pid}/task/{pid}/children")));
    let floor = Subject::new("open, read, close each `children`", 1_000, lists);
    compare("1 000 processes", vec![floor, Subject::new("ours", 1_000, look)]);

    tree.refresh(&mut proc)?;
    let measure = || {
        black_box(tree.measure(&mut proc));
    };
    let files = reading(paths(|pid| format!("/proc/{pid}/statm")));
    let floor = Subject::new("open, read, close each `statm`", 1_000, files);
    compare("RSS of 1 000 processes", vec![floor, Subject::new("ours", 1_000, measure)]);
    Ok(())
}

/// What nobody can do without: these files, read.
fn reading(paths: Vec<String>) -> impl FnMut() {
    let mut text = [0_u8; 4096];
    move || {
        for path in &paths {
            black_box(File::open(path).and_then(|mut file| file.read(&mut text))).ok();
        }
    }
}

/// What psutil takes, where it is installed.
fn psutil(pid: u32, call: &str) {
    let script = format!(
        "import psutil, time; process = psutil.Process({pid}); rounds = []
for _ in range(25):
    start = time.thread_time_ns()
    for _ in range(200): process.{call}
    rounds.append((time.thread_time_ns() - start) / 200)
print(round(sorted(rounds)[12]))"
    );
    let output = Command::new("python3").args(["-c", &script]).output().ok().filter(|output| output.status.success());
    if let Some(nanoseconds) = output.and_then(|output| String::from_utf8(output.stdout).ok()) {
        say(&format!("| psutil | {} | | |", nanoseconds.trim()));
    }
}
