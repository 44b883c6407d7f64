//! A rollout fleet with its telemetry.
fn main() {}
