//! When a process began, which it cannot see itself: its supervisor tells, or the kernel does.

use std::{
    fs,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use gym_telemetry_conventions::StartupStage;

/// Where a supervisor leaves the time at which it spawned a server: nanoseconds since 1970.
pub(super) const SPAWNED: &str = "NEMO_GYM_STARTUP_SPAWN_NS";

/// Where the main process of a server with workers leaves the time at which it handed over to them.
pub(super) const HANDED_OVER: &str = "NEMO_GYM_STARTUP_SERVE_NS";

/// What is known of the time before `main`.
#[derive(Debug)]
pub(super) struct Origin {
    /// How long ago the stamp in the environment was made, and the kernel started the process.
    stamped: Option<Duration>,
    started: Option<Duration>,
}

impl Origin {
    /// What this process can learn, by the stamp under `variable`.
    pub(super) fn of_this_process(variable: &str) -> Self {
        let stamp = std::env::var(variable).ok();
        Self { stamped: stamp.and_then(|stamp| since(&stamp, SystemTime::now())), started: process_age() }
    }

    /// The length of the first stage. Where nobody tells anything, it is empty.
    pub(super) fn age(&self) -> Duration {
        self.stamped.or(self.started).unwrap_or_default()
    }
}

/// The first stage of a process.
pub(super) fn first_stage(worker: bool) -> (&'static str, Duration) {
    let (stage, variable) =
        if worker { (StartupStage::WorkerStart, HANDED_OVER) } else { (StartupStage::ProcessStart, SPAWNED) };
    (stage.as_str(), Origin::of_this_process(variable).age())
}

/// A stamp for the environment of a process that is about to be spawned.
pub(super) fn stamp(now: SystemTime) -> String {
    now.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string()
}

/// No start takes longer: an older stamp is another process's, or of a clock that has been set since.
const LONGEST_START: Duration = Duration::from_secs(24 * 60 * 60);

/// The time since a stamp; none if it cannot be right, as after a step of the clock.
fn since(stamp: &str, now: SystemTime) -> Option<Duration> {
    let made = UNIX_EPOCH.checked_add(Duration::from_nanos(stamp.parse().ok()?))?;
    now.duration_since(made).ok().filter(|age| *age <= LONGEST_START)
}

/// How long ago the kernel started this process.
fn process_age() -> Option<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let uptime = fs::read_to_string("/proc/uptime").ok()?;
    age(&stat, &uptime)
}

/// Clock ticks of user space in a second: fixed at 100 on Linux, whatever the kernel's own timer.
const TICKS_PER_SECOND: f64 = 100.0;

/// The age of a process from the text of its `stat` and of `uptime`.
fn age(stat: &str, uptime: &str) -> Option<Duration> {
    // The name of the program is in parentheses and may hold any character; the start is field 22.
    let started: f64 = stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()?;
    let up: f64 = uptime.split_whitespace().next()?.parse().ok()?;
    Duration::try_from_secs_f64(up - started / TICKS_PER_SECOND).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_age_of_a_process_is_read_past_any_name() {
        let stat = "42 (a ) b) S 1 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 123450 1 1 1";
        assert_eq!(age(stat, "1240.50 99.00"), Some(Duration::from_secs(6)));
        assert_eq!(age(stat, "1.0 99.00"), None);
        assert_eq!(age("42 (short) S", "1.0"), None);
    }

    #[test]
    fn a_stamp_counts_before_the_kernel_unless_the_clock_was_set() {
        let now = UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        let earlier = stamp(now - Duration::from_millis(1_500));
        assert_eq!(since(&earlier, now), Some(Duration::from_millis(1_500)));
        let started = Some(Duration::from_secs(1));
        let origin = |stamp: &str| Origin { stamped: since(stamp, now), started };
        assert_eq!(origin(&earlier).age(), Duration::from_millis(1_500));
        assert_eq!(origin(&stamp(now + Duration::from_secs(1))).age(), Duration::from_secs(1));
        assert_eq!(origin("yesterday").age(), Duration::from_secs(1));
        assert_eq!(origin(&stamp(UNIX_EPOCH)).age(), Duration::from_secs(1), "the clock was set forward");
        assert_eq!(Origin { stamped: None, started: None }.age(), Duration::ZERO);
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(stamp in ".*", stat in ".*", uptime in ".*") {
            let _ = (since(&stamp, SystemTime::now()), age(&stat, &uptime));
        }
    }
}
