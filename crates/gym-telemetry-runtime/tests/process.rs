//! The figures of this process against what the system tells elsewhere. A binary of its own, one test at a time: they
//! count what the whole process has.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    fs::{self, File},
    process::Command,
    sync::{Barrier, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use gym_telemetry_core::{CpuTime, ProcessSource};
use gym_telemetry_runtime::ThisProcess;
use nix::sys::{
    resource::{Resource, UsageWho, getrlimit, getrusage, setrlimit},
    time::TimeValLike as _,
};

/// Memory that the test harness and allocator may take or give back meanwhile.
const SLACK: u64 = 16 << 20;

fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A field of `/proc/self/status`.
fn status(field: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap();
    line.trim_start_matches(':').split_whitespace().next().unwrap().parse().unwrap()
}

/// What `ps` says of this process, if there is a `ps`.
fn ps(column: &str) -> Option<u64> {
    let pid = std::process::id().to_string();
    match Command::new("ps").args(["-o", &format!("{column}="), "-p", &pid]).output() {
        Ok(output) => Some(String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()),
        Err(error) => {
            gym_telemetry_tests::skip(format_args!("ps: {error}"));
            None
        }
    }
}

fn getrusage_total() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_SELF).unwrap();
    Duration::from_micros((usage.user_time().num_microseconds() + usage.system_time().num_microseconds()) as u64)
}

#[test]
fn processor_time_is_what_getrusage_tells() {
    let _alone = alone();
    let process = ThisProcess::new();
    let spent = || process.cpu_time().map(|CpuTime { user, system }| user + system).unwrap();
    let start = spent();
    // Some of both modes, until it shows.
    while spent() < start + Duration::from_millis(100) {
        (0..100_000_u64).for_each(|n| assert_eq!(std::hint::black_box(n), n));
    }
    let (before, seen, after) = (getrusage_total(), spent(), getrusage_total());
    // Each mode is rounded down to ticks of 10 ms.
    assert!(before <= seen + Duration::from_millis(20) && seen <= after, "{before:?} {seen:?} {after:?}");
    assert!(process.cpu_time().unwrap().user > Duration::ZERO);
}

#[test]
fn resident_memory_is_what_the_status_file_and_ps_tell() {
    let _alone = alone();
    let process = ThisProcess::new();
    let block = vec![1_u8; 256 << 20];
    let seen = process.resident_memory().unwrap();
    assert!(seen >= 256 << 20);
    assert!(seen.abs_diff(status("VmRSS") << 10) < SLACK);
    if let Some(kib) = ps("rss") {
        assert!(seen.abs_diff(kib << 10) < SLACK);
    }
    drop(std::hint::black_box(block));
    assert!(process.resident_memory().unwrap() <= seen - (256 << 20) + SLACK);
}

#[test]
fn every_thread_counts_while_it_lives() {
    let _alone = alone();
    let process = ThisProcess::new();
    let before = process.threads().unwrap();
    let barrier = Barrier::new(6);
    thread::scope(|scope| {
        (0..5).for_each(|_| drop(scope.spawn(|| (barrier.wait(), barrier.wait()))));
        barrier.wait();
        let seen = process.threads().unwrap();
        // The test harness may start or end a thread of its own meanwhile.
        assert!(seen >= 6 && seen.abs_diff(before + 5) <= 1, "{before} {seen}");
        assert!(seen.abs_diff(status("Threads")) <= 1);
        if let Some(count) = ps("nlwp") {
            assert!(seen.abs_diff(count) <= 1);
        }
        barrier.wait();
    });
}

/// Allows 50 000 more open files, or as many as the system lets us.
fn allow_files() -> u64 {
    const MORE: u64 = 50_000;
    const OTHERS: u64 = 1_000;
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    let wanted = MORE + OTHERS;
    if setrlimit(Resource::RLIMIT_NOFILE, wanted, hard.max(wanted)).is_ok() {
        return MORE;
    }
    setrlimit(Resource::RLIMIT_NOFILE, hard, hard).unwrap();
    hard - OTHERS
}

#[test]
fn tens_of_thousands_of_open_files_are_counted_to_the_last() {
    let _alone = alone();
    let wanted = allow_files();
    let process = ThisProcess::new();
    let before = process.open_file_descriptors().unwrap();
    let listed = || fs::read_dir("/proc/self/fd").unwrap().count() as u64;
    // The listing is itself one more.
    assert_eq!(listed(), before + 1);

    let files: Vec<_> = (0..wanted).map(|_| File::open("/dev/null").unwrap()).collect();
    assert_eq!(process.open_file_descriptors(), Some(before + wanted));
    assert_eq!(listed(), before + wanted + 1);
    drop(files);
    assert_eq!(process.open_file_descriptors(), Some(before));
}
