//! Memory that real processes share.

use std::time::Duration;

use gym_telemetry_core::ServerMemory;
use gym_telemetry_procfs::{MemoryWatch, PssBudget};

use crate::support::{metrics, real::Program, until};

const MAPPED: u64 = 256 << 20;

/// The server once its whole tree has been read anew.
fn look(program: &Program) -> ServerMemory {
    let generous = PssBudget::default().duty(1.0).ceiling(Duration::from_secs(60));
    let watch = MemoryWatch::builder(metrics()).pss(generous).interval(Duration::from_millis(10));
    let watch = watch.watch("shared", "resources_servers", program.pid()).start().unwrap();
    until("its processes have been read", || {
        let sample = watch.latest();
        let server = sample.servers.first()?;
        (server.processes == 5 && server.pss.current.is_some()).then(|| server.clone())
    })
}

#[test]
fn shared_memory_counts_once_in_pss_and_for_each_process_in_rss() {
    let script = format!(
        "
import mmap, os, sys, time
size = {MAPPED}
memory = mmap.mmap(-1, size)
page = b'x' * (1 << 20)
def touch():
    for at in range(0, size, 1 << 20): memory[at:at + (1 << 20)] = page
pipes = []
for _ in range(4):
    (told, tell), (heard, hear) = os.pipe(), os.pipe()
    if os.fork() == 0:
        os.read(told, 1)
        touch()
        os.write(hear, b'x')
        while True: time.sleep(1000)
    pipes.append((tell, heard))
print('mapped', flush=True)
sys.stdin.readline()
touch()
for tell, heard in pipes:
    os.write(tell, b'x')
    os.read(heard, 1)
print('touched', flush=True)
sys.stdin.readline()
"
    );
    let Some(mut program) = Program::python(&script) else { return };
    assert_eq!(program.line(), "mapped");
    let before = look(&program);
    program.go();
    assert_eq!(program.line(), "touched");
    let after = look(&program);

    let grown = |usage: fn(&ServerMemory) -> Option<u64>| usage(&after).unwrap().abs_diff(usage(&before).unwrap());
    let pss = grown(|server| server.pss.current);
    assert!(pss.abs_diff(MAPPED) <= MAPPED / 50, "{pss} of {MAPPED} bytes");
    let rss = grown(|server| server.rss.current);
    assert!(rss >= 5 * MAPPED - MAPPED / 50, "{rss} of five times {MAPPED} bytes");
    assert!(after.pss.current < after.rss.current);
}
