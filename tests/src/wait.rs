use std::{
    thread,
    time::{Duration, Instant},
};

/// Longer than anything takes that is going to end at all.
pub const LONG: Duration = Duration::from_secs(120);

/// Waits until a condition holds.
///
/// # Panics
///
/// When that takes too [long](LONG).
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < LONG, "{what} did not happen");
        thread::sleep(Duration::from_millis(5));
    }
}
