//! A binary of its own, because it claims a right that belongs to the process.

use gym_telemetry_core::Supervisor;

#[test]
fn who_has_claimed_the_right_keeps_it_and_nobody_gets_it_again() {
    let supervisor = Supervisor::claim().expect("nobody has claimed it yet");
    Supervisor::rule_out();
    assert!(Supervisor::claim().is_none());
    drop(supervisor);
    assert!(Supervisor::claim().is_none());
}
