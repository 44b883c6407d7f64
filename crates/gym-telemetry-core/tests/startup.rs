//! A start-up across two processes: this one is the supervisor of another run of itself.
#![cfg(test)]

use std::{
    env,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use gym_telemetry_core::StartupTimeline;

/// Set where this test is the server.
const IS_SERVER: &str = "GYM_TELEMETRY_TEST_IS_SERVER";

/// What the server says before it says how long its first stage was.
const FIRST_STAGE: &str = "first stage:";

/// The first stage of a process with these stamps in its environment, as a worker and then as a server.
fn first_stages(stamps: &[(&str, String)]) -> [(String, Duration); 2] {
    let this_test = "the_first_stage_begins_where_the_environment_says";
    let mut server = Command::new(env::current_exe().unwrap());
    server.args(["--exact", this_test, "--nocapture"]).env(IS_SERVER, "1").envs(stamps.iter().cloned());
    let said = String::from_utf8(server.output().unwrap().stdout).unwrap();
    let stages = said.lines().filter_map(|line| line.split_once(FIRST_STAGE)?.1.trim().split_once(' '));
    let stages = stages.map(|(name, nanos)| (name.to_owned(), Duration::from_nanos(nanos.parse().unwrap())));
    stages.collect::<Vec<_>>().try_into().unwrap()
}

#[test]
fn the_first_stage_begins_where_the_environment_says() {
    if env::var_os(IS_SERVER).is_some() {
        for timeline in [StartupTimeline::begin_worker(), StartupTimeline::begin()] {
            let (name, took) = timeline.stages()[0];
            println!("\n{FIRST_STAGE} {name} {}", took.as_nanos());
        }
        return;
    }
    const APART: Duration = Duration::from_millis(100);
    let began = Instant::now();
    let spawned = StartupTimeline::spawn_stamp();
    thread::sleep(APART);
    let handed_over = StartupTimeline::hand_over_stamp();
    thread::sleep(APART);
    let [(worker, worker_start), (server, process_start)] = first_stages(&[spawned.clone(), handed_over]);
    assert_eq!((&*worker, &*server), ("worker_start", "process_start"));
    assert!(APART <= worker_start && worker_start + APART <= process_start && process_start <= began.elapsed());

    // Without a stamp of its own, a worker began when the kernel started it, which is told to 10 ms.
    let [(_, worker_start), (_, process_start)] = first_stages(&[spawned]);
    assert!(worker_start + APART <= process_start);
}
