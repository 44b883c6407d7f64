//! Runs that are stopped, and servers that die.

use std::{fs, path::Path};

use gym_telemetry::conventions::Outcome;
use gym_telemetry_tests::eventually;
use sysinfo::Signal;

use crate::support::{
    AGENT, Books, Ended, Fleet, Folder, HeldModel, Running, TASKS, is_running_with, kill_all_with, rows, tasks,
};

/// How many rollouts a run of these tests has, and how many of them wait for the model.
const OFFERED: usize = 5 * TASKS;
const RUNNING: usize = 4;

/// Starts a run and waits until as many rollouts as may run wait for the model.
fn start(folder: &Folder, model: &HeldModel, grace_seconds: &str) -> Running {
    let fleet = Fleet::on(folder).option("--model-url", &model.url).option("--metrics-json", folder.metrics());
    let fleet = fleet.option("--repeats", (OFFERED / TASKS).to_string()).option("--grace", grace_seconds);
    let running = fleet.option("--concurrency", RUNNING.to_string()).start();
    model.wait_until_asked(RUNNING);
    running
}

/// Whether the run or one of its servers is still there.
fn is_running(folder: &Folder) -> bool {
    is_running_with(folder.input())
}

/// A run that was asked to end says how much of it is left.
fn assert_stopped_early(ended: &Ended, not_run: usize) {
    ended
        .assert_refused(&format!("stopped early: {not_run} of {OFFERED} rollouts were not run; the same command with"));
    assert_eq!(ended.status.code(), Some(130), "{}", ended.stderr);
}

#[test]
fn whoever_terminates_a_run_lets_it_drain() {
    for signal in [Signal::Term, Signal::Hangup] {
        let (folder, model) = (Folder::new(&tasks()), HeldModel::start());
        let mut fleet = start(&folder, &model, "3600");
        fleet.signal(signal);
        fleet.wait_until_said("draining");
        model.answer();
        assert_stopped_early(&fleet.wait(), OFFERED - RUNNING);
        assert_eq!(rows(&folder.output()).len(), RUNNING, "{signal}");
    }
}

#[test]
fn an_interrupt_lets_what_runs_come_to_its_end() {
    let (folder, model) = (Folder::new(&tasks()), HeldModel::start());
    let mut fleet = start(&folder, &model, "3600");
    fleet.interrupt();
    fleet.wait_until_said("draining");
    model.answer();
    assert_stopped_early(&fleet.wait(), OFFERED - RUNNING);

    let books = Books::of(&folder);
    books.settle(OFFERED);
    assert_eq!((books.scored.len(), books.failed.len()), (RUNNING, 0));
    assert_eq!((model.asked(), books.completed(Outcome::Omitted)), (RUNNING, 0));
}

#[test]
fn what_outlasts_the_grace_period_is_omitted() {
    let (folder, model) = (Folder::new(&tasks()), HeldModel::start());
    let fleet = start(&folder, &model, "0");
    fleet.interrupt();
    assert_stopped_early(&fleet.wait(), OFFERED);

    let books = Books::of(&folder);
    books.settle(OFFERED);
    assert_eq!((books.scored.len(), books.failed.len()), (0, 0));
    assert_eq!((model.asked(), books.completed(Outcome::Omitted)), (RUNNING, RUNNING));
    assert_eq!(books.cancelled_before_head(AGENT), RUNNING);
}

#[test]
fn a_second_interrupt_stops_at_once() {
    let (folder, model) = (Folder::new(&tasks()), HeldModel::start());
    let mut fleet = start(&folder, &model, "3600");
    fleet.interrupt();
    fleet.wait_until_said("draining");
    fleet.interrupt();
    assert_eq!(fleet.wait().status.code(), Some(130));
    assert_eq!(rows(&folder.output()), [0; 0]);
    eventually("the end of every server", || !is_running(&folder));
}

#[test]
fn an_interrupt_stops_at_once_while_servers_end() {
    let (folder, model) = (Folder::new(&tasks()), HeldModel::start());
    let fleet = start(&folder, &model, "0");
    // It will not end by itself, so that the fleet waits for it.
    fleet.signal_server("agent", Signal::Stop);
    assert_eq!(fleet.interrupt_until_it_ends().status.code(), Some(130));
    kill_all_with(folder.input());
    eventually("the end of every server", || !is_running(&folder));
}

#[test]
fn servers_end_with_their_supervisor() {
    let (folder, model) = (Folder::new(&tasks()), HeldModel::start());
    let fleet = start(&folder, &model, "3600");
    assert!(is_running(&folder));
    fleet.kill();
    eventually("the end of every server", || !is_running(&folder));
}

#[test]
fn a_server_that_dies_is_reported_and_ends_the_run() {
    const REPEATS: usize = 1_000;
    let offered = REPEATS * TASKS;
    for role in ["agent", "model", "resources"] {
        let (folder, model) = (Folder::new(&tasks()), HeldModel::start());
        let fleet = Fleet::on(&folder).option("--model-url", &model.url).option("--metrics-json", folder.metrics());
        let fleet = fleet.option("--repeats", REPEATS.to_string()).option("--grace", "3600");
        let mut fleet = fleet.option("--concurrency", RUNNING.to_string()).start();
        model.wait_until_asked(RUNNING);
        fleet.signal_server(role, Signal::Kill);
        fleet.wait_until_said(&format!("the {role} server died (signal: 9"));
        model.answer();
        let ended = fleet.wait();
        ended.assert_refused(&format!("the {role} server did not end well: signal: 9"));
        assert_eq!(ended.status.code(), Some(1));

        // What ran and what began before the death was noticed has failed, and the rest was not run.
        let books = Books::of(&folder);
        let failed = books.failed.len();
        ended.assert_refused(&format!("{} of {offered} rollouts were not run", offered - failed));
        assert!((RUNNING..offered / 2).contains(&failed), "{role}: {failed}");
        assert_eq!((books.scored.len(), books.completed(Outcome::Failed)), (0, failed), "{role}");
        assert!(ended.stdout.contains(&format!("{failed} rollouts failed, ")), "{}", ended.stdout);
        let lines: Vec<_> = ended.stderr.lines().collect();
        let mut announced = lines.windows(2).filter(|pair| pair[0].ends_with("its last lines:"));
        assert!(announced.all(|pair| pair[1].starts_with("  ")), "{}", ended.stderr);
        assert!(books.failed.iter().all(|row| row["failure"]["message"].is_string()));
    }
}

/// Takes every open and refuses every write, where there is such a device.
const FULL: &str = "/dev/full";

#[test]
fn an_output_that_is_full_ends_the_run() {
    const REPEATS: usize = 100;
    if !Path::new(FULL).exists() {
        return println!("skipped: there is no {FULL}");
    }
    let (folder, model) = (Folder::new(&tasks()), HeldModel::start());
    model.answer();
    std::os::unix::fs::symlink(FULL, folder.output()).unwrap();
    let fleet = Fleet::on(&folder).option("--model-url", &model.url).option("--concurrency", "1");
    let ended = fleet.option("--repeats", REPEATS.to_string()).run();
    ended.assert_refused(&format!("cannot write to the output {}", folder.output().display()));
    assert!(model.asked() < REPEATS * TASKS, "the run went on");
    assert_eq!(fs::read_to_string(folder.failures()).unwrap(), "");
}

#[test]
fn a_summary_that_finds_no_room_is_told() {
    if !Path::new(FULL).exists() {
        return println!("skipped: there is no {FULL}");
    }
    let folder = Folder::new(&tasks());
    let mut command = Fleet::on(&folder).into_command();
    let ended = command.stdout(fs::File::create(FULL).unwrap()).output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{said}");
    assert_eq!(said.lines().filter(|line| line.starts_with("error: cannot write the summary: ")).count(), 1, "{said}");
    assert_eq!(rows(&folder.output()).len(), TASKS);
    assert!(fs::read_to_string(folder.output().with_extension("html")).unwrap().trim_end().ends_with("</html>"));
}

#[test]
fn metrics_that_find_no_room_are_told() {
    if !Path::new(FULL).exists() {
        return println!("skipped: there is no {FULL}");
    }
    let folder = Folder::new(&tasks());
    Fleet::on(&folder).option("--metrics-json", FULL).run().assert_refused(&format!("cannot write {FULL}"));
    assert_eq!(rows(&folder.output()).len(), TASKS);
}
