//! The host's memory and pressure.

use gym_telemetry_core::{HostMemory, Stall};
use gym_telemetry_procfs::MemoryWatch;

use crate::support::{fake::Root, metrics};

/// What one sample shows of the host.
fn look(root: &Root) -> HostMemory {
    MemoryWatch::builder(metrics()).root(root.path()).start().unwrap().stop().host
}

#[test]
fn used_is_what_is_not_available() {
    let root = Root::new();
    root.write("proc/meminfo", "MemTotal: 1000 kB\nMemFree: 100 kB\nMemAvailable: 400 kB\n");
    root.write("proc/pressure/memory", "some avg10=50.00 avg60=25.00 avg300=1.00 total=9\n");
    let host = look(&root);
    assert_eq!((host.total, host.available), (Some(1000 << 10), Some(400 << 10)));
    assert_eq!((host.used.current, host.used.peak), (Some(600 << 10), Some(600 << 10)));
    assert_eq!((host.pressure.some, host.pressure.full), (Some(Stall::new(0.5, 0.25, 0.01)), None));
}

#[test]
fn what_a_kernel_does_not_tell_is_absent() {
    let root = Root::new();
    assert_eq!(look(&root), HostMemory::default());
    root.write("proc/meminfo", "MemTotal: 1000 kB\nMemFree: 100 kB\n");
    let host = look(&root);
    assert_eq!((host.total, host.available, host.used.current), (Some(1000 << 10), None, None));
}

#[test]
fn this_host_has_memory() {
    let host = MemoryWatch::builder(metrics()).start().unwrap().stop().host;
    assert!(host.available > Some(0) && host.available < host.total);
    assert!(host.used.current <= host.used.peak && host.used.peak < host.total);
}
