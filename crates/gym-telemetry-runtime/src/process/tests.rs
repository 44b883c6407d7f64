use std::time::Duration;

use gym_telemetry_core::ProcessSource;

use super::{linux, portable};

/// What may come and go in a process that runs other tests meanwhile.
const SLACK: u64 = 64 << 20;

#[test]
fn what_other_systems_tell_is_what_proc_tells() {
    let mut sum = 0_u64;
    (0..20_000_000_u64).for_each(|n| sum = std::hint::black_box(sum ^ n));
    let (linux, portable) = (linux::ThisProcess::new(), portable::ThisProcess::new());

    let spent = |source: &dyn ProcessSource| source.cpu_time().map(|time| time.user + time.system).unwrap();
    let (before, seen, after) = (spent(&portable), spent(&linux), spent(&portable));
    // `/proc` rounds each of the two modes down to ticks of 10 ms.
    assert!(before <= seen + Duration::from_millis(20) && seen <= after, "{before:?} {seen:?} {after:?}");

    let memory = |source: &dyn ProcessSource| source.resident_memory().unwrap();
    assert!(memory(&linux).abs_diff(memory(&portable)) < SLACK);
    assert_eq!((portable.threads(), portable.open_file_descriptors()), (None, None));
}
