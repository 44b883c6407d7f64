//! Peers that are no Rust.

use std::process::Command;

use crate::tell;

/// What psutil takes for a call in nanoseconds, where it is installed.
pub(super) fn psutil(pid: u32, call: &str) -> Vec<(&'static str, f64)> {
    let script = format!(
        "import psutil, time; process = psutil.Process({pid}); rounds = []
for _ in range(25):
    start = time.thread_time_ns()
    for _ in range(200): process.{call}
    rounds.append((time.thread_time_ns() - start) / 200)
print(sorted(rounds)[12])"
    );
    let output = Command::new("python3").args(["-c", &script]).output().ok().filter(|output| output.status.success());
    let time = output.and_then(|output| String::from_utf8_lossy(&output.stdout).trim().parse().ok());
    if time.is_none() {
        tell("memory: there is no psutil to compare with");
    }
    time.map(|time| ("psutil", time)).into_iter().collect()
}
