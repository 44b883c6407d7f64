use std::{
    fs,
    time::{Duration, Instant},
};

use tempfile::TempDir;

use super::*;
use crate::{
    parse::Statm,
    proc::ProcFs,
    tree::{ProcessTree, Reading, Share},
};

const SECOND: Duration = Duration::from_secs(1);

/// A budget on a host that says nothing of this process.
fn budget(settings: PssBudget) -> Budget {
    let empty = tempfile::tempdir().unwrap();
    Budget::new(settings, SECOND, &mut ProcFs::open(empty.path()).unwrap())
}

#[test]
fn m2_readings_take_their_share_of_a_core_however_dear_they_are() {
    // 253 processes of 55 ms each would take 14 s a sample.
    let cost = Duration::from_millis(55);
    let mut budget = budget(PssBudget::default());
    let mut spent = Duration::ZERO;
    for _ in 0..10_000 {
        budget.pass(SECOND);
        for _ in 0..253 {
            if budget.open() {
                budget.spend(cost, 0, Instant::now());
                spent += cost;
            }
        }
    }
    let share = 10_000 * SECOND / 100;
    assert!(spent <= share + cost && spent >= share - cost, "{spent:?}");
}

#[test]
fn what_is_not_used_is_not_saved() {
    let mut budget = budget(PssBudget::default());
    budget.pass(1_000 * SECOND);
    budget.spend(SECOND / 100, 0, Instant::now());
    assert!(!budget.open());
}

/// In pages.
const GIB: u64 = 1 << 18;

fn statm(resident: u64) -> Statm {
    Statm { size: resident, resident, shared: 0 }
}

#[test]
fn a_reading_is_estimated_from_the_last_one_and_the_size() {
    let (budget, at) = (budget(PssBudget::default()), Instant::now());
    let allows_after = |seconds, resident, pages, millis| {
        let cost = Duration::from_millis(millis);
        let share = Share { pss: 0, walk: 1, at, memory: statm(pages), cost };
        let process = Reading { memory: statm(resident), share: (millis > 0).then_some(share) };
        budget.allows(&process, at + seconds * SECOND)
    };
    let allows = |resident, pages, millis| allows_after(1, resident, pages, millis);
    assert!(allows(9 * GIB, 0, 0), "a first reading");
    assert!(!allows(10 * GIB, 0, 0), "a first reading that may take too long");
    assert!(allows(30 * GIB, 30 * GIB, 50), "large, and known to be quick");
    assert!(!allows(30 * GIB, 30 * GIB, 51));
    assert!(allows(31 * GIB, 30 * GIB, 20), "it has grown a little");
    assert!(!allows(36 * GIB, 30 * GIB, 20), "it has grown a lot");
    assert!(allows(GIB, 30 * GIB, 20), "it has shrunk");
    assert!(!allows(u64::MAX, 0, 0));
    assert!(!allows_after(599, 8 * GIB, 8 * GIB, 51));
    assert!(allows_after(600, 8 * GIB, 8 * GIB, 51), "the host may have been busy");
}

#[test]
fn a_first_reading_is_estimated_from_those_of_others() {
    let mut budget = budget(PssBudget::default());
    let start = Instant::now();
    let most = |budget: &Budget, seconds| {
        let allows =
            |size: &u64| budget.allows(&Reading { memory: statm(size * GIB), share: None }, start + seconds * SECOND);
        (0..100).take_while(allows).last()
    };
    budget.spend(Duration::from_millis(5), 1000, start);
    assert_eq!(most(&budget, 0), Some(9), "a small process tells nothing");
    // The host of M1: 4 s for 200 GiB.
    budget.spend(Duration::from_millis(20), GIB, start);
    budget.spend(Duration::from_millis(1), GIB, start + SECOND);
    assert_eq!([0, 1, 599, 600].map(|seconds| most(&budget, seconds)), [Some(2), Some(2), Some(2), Some(9)]);
}

#[test]
fn a_first_reading_is_estimated_from_one_of_this_process_where_no_other_has_been_read() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("self")).unwrap();
    // It has but one page, so that this one seems to take as long as the whole reading.
    fs::write(folder.path().join("self/smaps_rollup"), "Rss: 4 kB\nPss: 4 kB\n").unwrap();
    let mut budget = Budget::new(PssBudget::default(), SECOND, &mut ProcFs::open(folder.path()).unwrap());
    let (large, now) = (Reading { memory: statm(9 * GIB), share: None }, Instant::now());
    assert!(!budget.allows(&large, now));
    budget.spend(Duration::from_millis(5), GIB, now);
    assert!(budget.allows(&large, now), "what others take is nearer to it");
    budget.spend(Duration::from_millis(6), GIB, now);
    assert!(!budget.allows(&large, now), "of them, the dearest");
}

/// Made-up processes, of which each sample may read one.
struct Fixture {
    folder: TempDir,
    proc: ProcFs,
    tree: ProcessTree,
    walk: Walk,
    budget: Budget,
    start: Instant,
}

impl Fixture {
    /// A process with these children. Each has a share of its id in kilobytes.
    fn new(settings: PssBudget, children: &[u32]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let process = |pid: u32, parent: u32| {
            let folder = folder.path().join(pid.to_string());
            fs::create_dir_all(folder.join(format!("task/{pid}"))).unwrap();
            fs::write(folder.join(format!("task/{pid}/children")), "").unwrap();
            fs::write(folder.join("stat"), format!("{pid} (a) S {parent} 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 9 0"))
                .unwrap();
            fs::write(folder.join("statm"), "9 9 0").unwrap();
            fs::write(folder.join("smaps_rollup"), format!("Rss: 900 kB\nPss: {pid} kB\n")).unwrap();
        };
        process(1, 0);
        children.iter().for_each(|pid| process(*pid, 1));
        let mut proc = ProcFs::open(folder.path()).unwrap();
        let tree = ProcessTree::new(&mut proc, 1).unwrap();
        // So small a share that one reading overdraws it.
        let budget = Budget::new(settings.duty(1e-9), SECOND, &mut proc);
        let fixture = Self { folder, proc, tree, walk: Walk::default(), budget, start: Instant::now() };
        fixture.list(children);
        fixture
    }

    fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        fs::write(self.folder.path().join(path), content).unwrap();
    }

    /// The root has these children.
    fn list(&self, children: &[u32]) {
        self.write("1/task/1/children", children.iter().map(|pid| format!("{pid} ")).collect::<String>());
    }

    /// A sample so many seconds after the start.
    fn sample(&mut self, second: u32) -> Result<Option<u64>, Refusal> {
        self.budget.pass(Duration::MAX);
        let Self { proc, tree, walk, budget, start, .. } = self;
        tree.refresh(proc).unwrap();
        tree.measure(proc);
        walk.go_on(proc, tree, budget, *start + second * SECOND)
    }

    /// What is reported so many seconds after the start: kilobytes, and their age in seconds.
    fn reported(&self, second: u32) -> Option<(u64, u64)> {
        let fresh = self.walk.fresh(&self.budget, self.start + second * SECOND);
        fresh.map(|(bytes, age)| (bytes >> 10, age.as_secs()))
    }
}

#[test]
fn a_walk_goes_on_with_the_next_sample_and_takes_in_who_comes() {
    let mut fixture = Fixture::new(PssBudget::default(), &[20, 30, 40]);
    fixture.list(&[20, 30]);
    assert_eq!((fixture.sample(0).unwrap(), fixture.sample(1).unwrap()), (None, None));
    assert_eq!(fixture.reported(1), None, "not all are read");
    fixture.list(&[20, 30, 40]);
    assert_eq!(fixture.sample(2).unwrap(), None);
    assert_eq!(fixture.sample(3).unwrap(), Some(91 << 10));
    assert_eq!(fixture.reported(3), Some((91, 3)), "as old as its first reading");
}

#[test]
fn who_ends_during_a_walk_is_left_out() {
    let mut fixture = Fixture::new(PssBudget::default(), &[20, 30]);
    assert_eq!((fixture.sample(0).unwrap(), fixture.sample(1).unwrap()), (None, None));
    for gone in [20, 30] {
        fs::remove_dir_all(fixture.folder.path().join(gone.to_string())).unwrap();
    }
    assert_eq!(fixture.sample(2).unwrap(), Some(1 << 10));
}

#[test]
fn nothing_is_read_again_while_nothing_changes_until_most_of_its_time_is_over() {
    let mut fixture = Fixture::new(PssBudget::default().max_age(60 * SECOND), &[]);
    assert_eq!(fixture.sample(0).unwrap(), Some(1 << 10));
    fixture.write("1/smaps_rollup", "Rss: 900 kB\nPss: 7 kB\n");
    assert_eq!((fixture.sample(44).unwrap(), fixture.reported(44)), (None, Some((1, 44))));
    assert_eq!((fixture.sample(45).unwrap(), fixture.reported(45)), (Some(7 << 10), Some((7, 0))));
    fixture.write("1/smaps_rollup", "Rss: 900 kB\nPss: 8 kB\n");
    fixture.write("1/statm", "9 8 0");
    assert_eq!(fixture.sample(46).unwrap(), Some(8 << 10), "its memory has changed");
}

#[test]
fn a_walk_that_takes_long_begins_early_enough() {
    let mut fixture = Fixture::new(PssBudget::default().max_age(60 * SECOND), &[20]);
    // It takes 20 s. So the next begins at half of the age, not at three quarters.
    assert_eq!((fixture.sample(0).unwrap(), fixture.sample(20).unwrap()), (None, Some(21 << 10)));
    fixture.write("1/smaps_rollup", "Rss: 900 kB\nPss: 7 kB\n");
    assert_eq!((fixture.sample(29).unwrap(), fixture.sample(30).unwrap()), (None, None));
    assert_eq!(fixture.sample(31).unwrap(), Some(27 << 10), "the second of the new walk");
}

#[test]
fn what_a_process_has_for_itself_changes_no_share_of_another() {
    let mut fixture = Fixture::new(PssBudget::default(), &[20]);
    assert_eq!((fixture.sample(0).unwrap(), fixture.sample(1).unwrap()), (None, Some(21 << 10)));
    for pid in [1, 20] {
        fixture.write(&format!("{pid}/smaps_rollup"), "Rss: 900 kB\nPss: 5 kB\n");
    }
    fixture.write("20/statm", "9 8 0");
    assert_eq!(fixture.sample(2).unwrap(), Some(6 << 10), "the root has the share that it had");
    assert_eq!(fixture.reported(2), Some((6, 2)), "as old as the oldest");

    fixture.write("20/statm", "9 8 1");
    assert_eq!((fixture.sample(3).unwrap(), fixture.sample(4).unwrap()), (None, Some(10 << 10)), "all are read anew");
}

#[test]
fn a_sum_too_old_is_not_reported() {
    let mut fixture = Fixture::new(PssBudget::default().max_age(60 * SECOND), &[]);
    fixture.sample(0).unwrap();
    assert_eq!((fixture.reported(60), fixture.reported(61)), (Some((1, 60)), None));
}

#[test]
fn a_walk_that_nothing_of_would_be_fresh_is_given_up_for_a_while() {
    let mut fixture = Fixture::new(PssBudget::default().max_age(10 * SECOND), &[20, 30]);
    assert_eq!((fixture.sample(0).unwrap(), fixture.sample(9).unwrap()), (None, None));
    assert!(matches!(fixture.sample(11), Err(Refusal::TooMany)));
    assert_eq!(fixture.sample(15).unwrap(), None);
    let rest: Vec<_> = (16..19).map(|second| fixture.sample(second).unwrap()).collect();
    assert_eq!(rest, [None, None, Some(51 << 10)], "a new walk, from its beginning");
}

#[test]
fn a_refusal_takes_back_what_was_known() {
    let mut fixture = Fixture::new(PssBudget::default().max_age(60 * SECOND), &[]);
    fixture.sample(0).unwrap();
    fixture.write("1/smaps_rollup", "");
    fixture.write("1/statm", "9 8 0");
    assert!(matches!(fixture.sample(1), Err(Refusal::Empty { pid: 1 })));
    assert_eq!(fixture.reported(1), None);
    fixture.write("1/smaps_rollup", "Rss: 900 kB\nPss: 7 kB\n");
    assert_eq!(fixture.sample(30).unwrap(), None, "not before half of the time of a reading");
    assert_eq!(fixture.sample(31).unwrap(), Some(7 << 10));
}
