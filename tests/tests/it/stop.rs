//! Runs that are stopped, and servers that die.

use std::{fs, path::Path};

use gym_telemetry::conventions::Outcome;
use gym_telemetry_tests::eventually;
use sysinfo::Signal;

use crate::support::{
    AGENT, Books, Fleet, Folder, HeldModel, Running, TASKS, is_running_with, kill_all_with, rows, tasks,
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

#[test]
fn an_interrupt_lets_what_runs_come_to_its_end() {
    let (folder, model) = (Folder::new(&tasks()), HeldModel::start());
    let mut fleet = start(&folder, &model, "3600");
    fleet.interrupt();
    fleet.wait_until_said("draining");
    model.answer();
    fleet.wait().assert_success();

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
    fleet.wait().assert_success();

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
fn a_server_that_dies_is_reported_and_its_rollouts_fail() {
    for role in ["agent", "model", "resources"] {
        let (folder, model) = (Folder::new(&tasks()), HeldModel::start());
        let mut fleet = start(&folder, &model, "3600");
        fleet.signal_server(role, Signal::Kill);
        fleet.wait_until_said(&format!("the {role} server died (signal: 9"));
        model.answer();
        fleet.wait().assert_refused(&format!("the {role} server did not end well"));

        let books = Books::of(&folder);
        assert_eq!((books.scored.len(), books.failed.len()), (0, OFFERED), "{role}");
        assert_eq!(books.completed(Outcome::Failed), OFFERED, "{role}");
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
fn metrics_that_find_no_room_are_told() {
    if !Path::new(FULL).exists() {
        return println!("skipped: there is no {FULL}");
    }
    let folder = Folder::new(&tasks());
    Fleet::on(&folder).option("--metrics-json", FULL).run().assert_refused(&format!("cannot write {FULL}"));
    assert_eq!(rows(&folder.output()).len(), TASKS);
}
