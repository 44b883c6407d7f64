//! A binary of its own, because it rules out a right that belongs to the process.

use gym_telemetry_core::Supervisor;

#[test]
fn a_server_cannot_speak_for_the_fleet() {
    let supervisor = Supervisor::claim().expect("nobody was refused yet");
    Supervisor::rule_out();
    drop(supervisor);
    let again = Supervisor::claim().expect("a supervisor with a server of its own stays one");
    drop(again);

    Supervisor::rule_out();
    assert!(Supervisor::claim().is_none());
    Supervisor::rule_out();
    assert!(Supervisor::claim().is_none());
}
