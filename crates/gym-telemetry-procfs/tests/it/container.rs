//! The container's limit and use, of control groups of either version.

use gym_telemetry_core::{ContainerMemory, Stall};
use gym_telemetry_procfs::MemoryWatch;

use crate::support::{fake::Root, metrics};

const GIB: u64 = 1 << 30;

/// A root whose host has 64 GiB.
fn host() -> Root {
    let root = Root::new();
    root.write("proc/meminfo", format!("MemTotal: {} kB\nMemAvailable: 1 kB\n", (64 * GIB) >> 10));
    root
}

/// One with control groups of the second version, and this process in one of them.
fn unified(group: &str) -> Root {
    let root = host();
    root.write("proc/self/cgroup", format!("0::{group}\n"));
    root.write("proc/self/mountinfo", "30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    root
}

/// Writes a group of the second version.
fn group(root: &Root, path: &str, limit: &str, usage: u64) {
    root.write(&format!("sys/fs/cgroup{path}/memory.max"), limit);
    root.write(&format!("sys/fs/cgroup{path}/memory.current"), usage.to_string());
}

/// What one sample shows of the container.
fn look(root: &Root) -> ContainerMemory {
    MemoryWatch::builder(metrics()).root(root.path()).start().unwrap().stop().container
}

fn limit_and_use(root: &Root) -> (Option<u64>, Option<u64>) {
    let container = look(root);
    (container.limit, container.used.current)
}

#[test]
fn m8_the_limit_of_an_ancestor_binds_with_its_use() {
    let root = unified("/pod/container");
    group(&root, "/pod/container", "max", GIB);
    group(&root, "/pod", &(4 * GIB).to_string(), 3 * GIB);
    assert_eq!(limit_and_use(&root), (Some(4 * GIB), Some(3 * GIB)));

    group(&root, "/pod/container", &(2 * GIB).to_string(), GIB);
    assert_eq!(limit_and_use(&root), (Some(2 * GIB), Some(GIB)), "the least limit binds");

    group(&root, "/pod/container", &(4 * GIB).to_string(), GIB);
    assert_eq!(limit_and_use(&root), (Some(4 * GIB), Some(3 * GIB)), "of two equal ones the outer fills first");
}

#[test]
fn m8_no_limit_where_there_is_none_or_the_host_has_less() {
    let root = unified("/a");
    for none in ["max", "", "junk", &(64 * GIB).to_string(), &(65 * GIB).to_string(), "99999999999999999999"] {
        group(&root, "/a", none, GIB);
        assert_eq!(limit_and_use(&root), (None, Some(GIB)), "{none:?}");
    }
    group(&root, "/a", &(63 * GIB).to_string(), GIB);
    assert_eq!(limit_and_use(&root), (Some(63 * GIB), Some(GIB)));
}

#[test]
fn m8_the_first_version_says_a_huge_number_for_no_limit() {
    let root = host();
    root.write("proc/self/cgroup", "4:memory:/docker/7\n1:cpu:/\n0::/elsewhere\n");
    // A container that sees its own group alone, beside an empty unified hierarchy.
    let mounts = "14 31 0:32 /docker/7 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                  15 31 0:33 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
    root.write("proc/self/mountinfo", mounts);
    let files = |limit: u64| {
        root.write("sys/fs/cgroup/memory/memory.limit_in_bytes", format!("{limit}\n"));
        root.write("sys/fs/cgroup/memory/memory.usage_in_bytes", format!("{GIB}\n"));
        root.write("sys/fs/cgroup/memory/memory.max_usage_in_bytes", format!("{}\n", 2 * GIB));
        root.write("sys/fs/cgroup/memory/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
    };
    files(9_223_372_036_854_771_712);
    let container = look(&root);
    assert_eq!((container.limit, container.used.current, container.used.peak), (None, Some(GIB), Some(2 * GIB)));
    assert_eq!(container.oom_kills, Some(3));

    root.remove("proc/meminfo");
    assert_eq!(look(&root).limit, None, "even where the host's memory is not known");
    files(4 * GIB);
    assert_eq!(look(&root).limit, Some(4 * GIB));
}

#[test]
fn everything_that_a_group_tells_is_told() {
    let root = unified("/a");
    group(&root, "/a", &(4 * GIB).to_string(), GIB);
    root.write("sys/fs/cgroup/a/memory.peak", (2 * GIB).to_string());
    root.write("sys/fs/cgroup/a/memory.events", "low 0\noom 9\noom_kill 7\noom_group_kill 8\n");
    root.write("sys/fs/cgroup/a/memory.pressure", "some avg10=1.00 avg60=0.00 avg300=0.00 total=1\n");
    let container = look(&root);
    assert_eq!((container.used.peak, container.oom_kills), (Some(2 * GIB), Some(7)));
    assert_eq!(container.pressure.some, Some(Stall::new(0.01, 0.0, 0.0)));
}

#[test]
fn a_group_without_the_controller_counts_in_the_one_above() {
    let root = unified("/a/b");
    root.write("sys/fs/cgroup/a/b/cgroup.procs", "1\n");
    root.write("sys/fs/cgroup/a/memory.current", GIB.to_string());
    assert_eq!(limit_and_use(&root), (None, Some(GIB)));
}

#[test]
fn a_group_outside_of_what_is_mounted_is_bounded_by_what_is() {
    for outside in ["/../sibling", "/other"] {
        let root = unified(outside);
        let mounts = "30 24 0:26 /pod /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        root.write("proc/self/mountinfo", mounts);
        group(&root, "", &GIB.to_string(), 5);
        assert_eq!(limit_and_use(&root), (Some(GIB), Some(5)), "{outside}");
    }
}

#[test]
fn without_control_groups_there_is_nothing() {
    assert_eq!(look(&host()), ContainerMemory::default());
    let root = unified("/a");
    root.remove("proc/self/mountinfo");
    assert_eq!(look(&root), ContainerMemory::default());
}

#[test]
fn this_process_lies_in_some_group_or_none() {
    let container = MemoryWatch::builder(metrics()).start().unwrap().stop();
    let (limit, total) = (container.container.limit, container.host.total);
    assert!(limit.is_none() || limit < total);
}
