//! Trees of made-up processes: what real ones do only at rare moments, and kernels that lack a file.

use std::fs;

use gym_telemetry_procfs::{ProcFs, ProcessTree};

use crate::support::{
    fake::{Root, page},
    real::sorted,
};

/// A tree and the root of the file system that it is read from.
struct Fixture {
    root: Root,
    proc: ProcFs,
    tree: ProcessTree,
}

impl Fixture {
    /// The tree below process 10, which is there after `make`.
    fn new(make: impl Fn(&Root)) -> Self {
        let root = Root::new();
        make(&root);
        let mut proc = ProcFs::open(root.path().join("proc")).unwrap();
        let tree = ProcessTree::new(&mut proc, 10).unwrap();
        Self { root, proc, tree }
    }

    /// The processes that a look finds.
    fn look(&mut self) -> Vec<u32> {
        self.tree.refresh(&mut self.proc).unwrap();
        sorted(self.tree.pids())
    }

    fn measure(&mut self) -> u64 {
        self.tree.measure(&mut self.proc)
    }
}

/// Three levels, and a stranger.
fn family(root: &Root) {
    root.process(10, 1).children(&[11, 12]);
    root.process(11, 10).children(&[13]);
    root.process(12, 10);
    root.process(13, 11);
    root.process(20, 1);
}

/// The same on a kernel that does not tell children.
fn family_without_children(root: &Root) {
    family(root);
    for pid in [10, 11, 12, 13, 20] {
        root.remove(&format!("proc/{pid}/task/{pid}/children"));
    }
}

#[test]
fn all_levels_are_found() {
    let mut fixture = Fixture::new(family);
    assert_eq!(fixture.look(), [10, 11, 12, 13]);
    assert_eq!(fixture.measure(), 40 * page());
}

#[test]
fn a_kernel_that_does_not_tell_children_is_asked_for_parents() {
    let mut fixture = Fixture::new(family_without_children);
    fixture.root.write("proc/self/stat", "not a process");
    fixture.root.write("proc/99/stat", "malformed");
    assert_eq!(fixture.look(), [10, 11, 12, 13]);
    fixture.root.process(14, 12).without("task");
    assert_eq!(fixture.look(), [10, 11, 12, 13, 14]);
}

#[test]
fn m5_children_of_every_thread_are_found() {
    let mut fixture = Fixture::new(|root| {
        root.process(10, 1).children(&[11]).thread(15, &[12]).thread(16, &[]);
        root.process(11, 10);
        root.process(12, 10);
    });
    assert_eq!(fixture.look(), [10, 11, 12]);
}

#[test]
fn m6_a_child_with_another_parent_is_a_stranger() {
    let mut fixture = Fixture::new(|root| {
        root.process(10, 1).children(&[11, 12]);
        root.process(11, 1); // given a new parent since the list was written
        root.process(12, 10).started(10, 99); // older than its parent
    });
    assert_eq!(fixture.look(), [10]);
}

#[test]
fn m6_without_lists_of_children_age_tells_strangers_too() {
    let mut fixture = Fixture::new(|root| {
        root.process(10, 1).without("task/10/children");
        root.process(11, 10).started(10, 100);
        root.process(12, 10).started(10, 99);
        root.process(13, 12).started(12, 120);
    });
    assert_eq!(fixture.look(), [10, 11]);
}

#[test]
fn m6_a_reused_id_is_another_process() {
    let mut fixture = Fixture::new(family);
    assert_eq!(fixture.look(), [10, 11, 12, 13]);
    fixture.root.process(11, 1).started(1, 500).children(&[13]);
    assert_eq!(fixture.look(), [10, 12], "a stranger took the id, and the child that it claims is not its own");

    fixture.root.process(10, 1).started(1, 600);
    let gone = fixture.tree.refresh(&mut fixture.proc).unwrap_err();
    assert_eq!(gone.kind(), std::io::ErrorKind::NotFound);
}

#[test]
fn a_loop_of_parents_ends() {
    let mut fixture = Fixture::new(|root| {
        root.process(10, 11).children(&[11, 11, 10]);
        root.process(11, 10).children(&[10, 11]);
    });
    assert_eq!(fixture.look(), [10, 11]);
    assert_eq!(fixture.measure(), 20 * page(), "each counts once");
}

#[test]
fn who_is_listed_and_gone_is_left_out() {
    let mut fixture = Fixture::new(|root| {
        root.process(10, 1).children(&[11, 77]);
        root.process(11, 10);
    });
    assert_eq!(fixture.look(), [10, 11]);
    fixture.root.remove("proc/11");
    assert_eq!(fixture.measure(), 10 * page());
    assert_eq!(fixture.tree.pids(), [10]);
}

#[test]
fn a_member_that_its_list_lacks_for_once_is_not_lost() {
    let mut fixture = Fixture::new(family);
    fixture.look();
    // The kernel leaves out an entry when another child ends while it writes the list.
    fixture.root.process(10, 1).children(&[12]);
    assert_eq!(fixture.look(), [10, 11, 12, 13]);
    fixture.root.process(11, 1).children(&[13]);
    assert_eq!(fixture.look(), [10, 12], "it has another parent now");
    fixture.root.process(12, 10).without("task");
    fixture.root.process(10, 1);
    assert_eq!(fixture.look(), [10], "half of it is gone");
}

#[test]
fn a_list_longer_than_a_page_is_read_to_its_end() {
    let pids: Vec<u32> = (100_000..103_000).collect();
    let mut fixture = Fixture::new(|root| {
        root.process(10, 1).children(&pids);
        for pid in &pids {
            root.write(
                &format!("proc/{pid}/stat"),
                format!("{pid} (a) S 10 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 100 0"),
            );
            root.write(&format!("proc/{pid}/task/{pid}/children"), "");
        }
    });
    assert_eq!(fixture.look().len(), 3_001);
}

#[test]
fn names_of_any_bytes_are_read_past() {
    for name in [&b"a) S 1 (b"[..], b"line\nbreak", b"\xff\xfe", b" ", b"((("] {
        let mut fixture = Fixture::new(|root| {
            root.process(10, 1).stat(name, 1, 100).children(&[11]);
            root.process(11, 10).stat(name, 10, 100);
        });
        assert_eq!(fixture.look(), [10, 11], "{}", name.escape_ascii());
    }
}

#[test]
fn malformed_files_make_no_errors() {
    let mut fixture = Fixture::new(family);
    fixture.look();
    fixture.measure();
    for junk in [&b""[..], b"junk", b"-1 -1 -1", b"99999999999999999999 1 1", b"\xff"] {
        fixture.root.write("proc/11/statm", junk);
        fixture.root.write("proc/12/task/12/children", junk);
        assert_eq!(fixture.look(), [10, 11, 12, 13]);
        assert_eq!(fixture.measure(), 40 * page(), "what was known last stands");
    }
    fixture.root.write("proc/11/statm", format!("{max} {max} 0", max = u64::MAX));
    assert_eq!(fixture.measure(), u64::MAX);
}

#[test]
fn m9_ten_thousand_short_processes_leave_nothing_behind() {
    let mut fixture = Fixture::new(family);
    for pid in (100..10_100).step_by(100) {
        let children: Vec<u32> = (pid..pid + 100).collect();
        fixture.root.process(12, 10).children(&children);
        for child in &children {
            fixture.root.process(*child, 12);
        }
        assert_eq!(fixture.look().len(), 104);
        for child in &children {
            fs::remove_dir_all(fixture.root.path().join(format!("proc/{child}"))).unwrap();
        }
    }
    fixture.root.process(12, 10);
    assert_eq!(fixture.look(), [10, 11, 12, 13]);
    assert!(!format!("{:?}", fixture.tree).contains("10050"), "nothing is kept of the departed");
}

#[test]
fn nothing_is_allocated_for_a_process_once_it_is_known() {
    let mut fixture = Fixture::new(family);
    for _ in 0..2 {
        fixture.look();
        fixture.measure();
    }
    let Fixture { tree, proc, .. } = &mut fixture;
    let allocated = allocation_counter::measure(|| {
        tree.refresh(proc).unwrap();
        tree.measure(proc);
    });
    assert_eq!((allocated.count_total, tree.pids().len()), (0, 4));
}
