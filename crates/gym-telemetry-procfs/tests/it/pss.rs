//! Proportional memory within its budget, on made-up processes.

use std::{fs, time::Duration};

use gym_telemetry_core::{MemoryUsage, ServerMemory};
use gym_telemetry_procfs::{MemoryWatch, MemoryWatchBuilder, PssBudget};

use crate::support::{
    fake::{Root, page},
    logs, metrics, wait_for_samples,
};

/// Everything that fits under the ceiling is read in one sample.
fn plenty() -> PssBudget {
    PssBudget::default().duty(1.0)
}

fn watch(root: &Root, name: &str) -> MemoryWatchBuilder {
    MemoryWatch::builder(metrics()).root(root.path()).pss(plenty()).watch(name, "resources_servers", 10)
}

/// What one sample shows of the server.
fn look(watch: MemoryWatchBuilder) -> ServerMemory {
    watch.start().unwrap().stop().servers[0].clone()
}

#[test]
fn the_share_of_a_tree_is_the_sum_of_its_processes() {
    let root = Root::new();
    root.process(10, 1).children(&[11]).shares(8 << 20, 4 << 20);
    root.process(11, 10).shares(6 << 20, 3 << 20);
    let server = look(watch(&root, "sum"));
    assert_eq!((server.pss.current, server.pss.peak), (Some(7 << 20), Some(7 << 20)));
    assert_eq!((server.rss.current, server.processes), (Some(20 * page()), 2));
    assert!(server.pss_age.is_some());
}

#[test]
fn m1_a_process_too_large_for_the_ceiling_is_not_read() {
    let root = Root::new();
    let pages = (200 << 30) / page();
    root.process(10, 1).statm(pages, pages);
    logs::listen();
    let server = look(watch(&root, "two-hundred"));
    assert_eq!((server.rss.current, server.pss.current), (Some(200 << 30), None));
    assert_eq!(logs::lines_with(&["no PSS", "two-hundred", "ceiling"]), 1);

    let pages = (8 << 30) / page();
    root.process(10, 1).statm(pages, pages);
    assert!(look(watch(&root, "eight")).pss.current.is_some(), "by default a process of 8 GiB is read");

    let pages = (200 << 30) / page();
    root.process(10, 1).statm(pages, pages);
    let dearer = plenty().ceiling(Duration::from_secs(60));
    assert!(look(watch(&root, "dearer").pss(dearer)).pss.current.is_some());
}

#[test]
fn m3_what_cannot_be_read_leaves_resident_memory_alone_and_is_said_once() {
    let root = Root::new();
    root.process(10, 1).children(&[11]);
    root.process(11, 10).without("smaps_rollup");
    // No file at all, so that not even the superuser can read it.
    fs::create_dir(root.path().join("proc/11/smaps_rollup")).unwrap();
    logs::listen();
    let often = plenty().max_age(Duration::from_nanos(1));
    let watch = watch(&root, "unreadable").pss(often).interval(Duration::from_millis(1)).start().unwrap();
    wait_for_samples(&watch, 5);
    let server = watch.stop().servers[0].clone();
    assert_eq!((server.rss.current, server.pss), (Some(20 * page()), MemoryUsage::default()));
    assert_eq!(logs::lines_with(&["no PSS", "unreadable"]), 1);
}

#[test]
fn m7_a_live_process_without_shares_is_not_taken_for_dead() {
    for content in [Some(""), Some("junk\n"), None] {
        let root = Root::new();
        let process = root.process(10, 1);
        match content {
            Some(content) => process.file("smaps_rollup", content),
            None => process.without("smaps_rollup"),
        };
        let server = look(watch(&root, "empty"));
        assert_eq!((server.processes, server.rss.current, server.pss.current), (1, Some(10 * page()), None));
    }
}

#[test]
fn a_process_without_memory_has_a_share_of_none() {
    let root = Root::new();
    root.process(10, 1).children(&[11]).shares(8 << 20, 4 << 20);
    root.process(11, 10).statm(0, 0).without("smaps_rollup");
    let server = look(watch(&root, "zombie"));
    assert_eq!((server.processes, server.pss.current), (2, Some(4 << 20)));
}

#[test]
fn a_duty_of_nothing_reads_nothing() {
    let root = Root::new();
    root.process(10, 1);
    let server = look(watch(&root, "none").pss(PssBudget::default().duty(0.0)));
    assert_eq!((server.rss.current, server.pss.current), (Some(10 * page()), None));
}
