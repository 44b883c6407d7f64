//! Agreement with other programs about a process that does nothing.

use std::process::Command;

use gym_telemetry_procfs::ProcFs;

use crate::support::{real::Program, skip};

/// What a command prints, as numbers; none where there is no such command.
fn numbers(command: &mut Command) -> Option<Vec<u64>> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.split_whitespace().map(|number| number.parse().unwrap()).collect())
}

fn still() -> Option<Program> {
    let mut program = Program::python("print('ready', flush=True); import sys; sys.stdin.readline()")?;
    program.line();
    Some(program)
}

#[test]
fn ps_sees_the_same_resident_memory() {
    let Some(program) = still() else { return };
    let pid = program.pid();
    let Some(ps) = numbers(Command::new("ps").args(["-o", "rss=", "-p", &pid.to_string()])) else {
        return skip("there is no ps");
    };
    let ours = ProcFs::open("/proc").unwrap().rss(pid).unwrap();
    // It reads a counter of which each processor may hold back some pages.
    assert!(ours.abs_diff(ps[0] * 1024) < ours / 20, "{ours} and {} bytes", ps[0] * 1024);
}

#[test]
fn psutil_sees_the_same_resident_and_proportional_memory() {
    let Some(program) = still() else { return };
    let pid = program.pid();
    let script = format!("import psutil; m = psutil.Process({pid}).memory_full_info(); print(m.rss, m.pss)");
    let Some(psutil) = numbers(Command::new("python3").args(["-c", &script])) else {
        return skip("there is no psutil");
    };
    let mut proc = ProcFs::open("/proc").unwrap();
    assert_eq!(proc.rss(pid).unwrap(), psutil[0]);
    // Meanwhile one more Python has come and gone, with which it shared what is read from files.
    let pss = proc.shares(pid).unwrap().unwrap().pss;
    assert!(pss.abs_diff(psutil[1]) < pss / 2, "{pss} and {} bytes", psutil[1]);
}
