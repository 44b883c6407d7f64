//! What runs behind a limit, and where.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    process::Stdio,
};

use gym_telemetry::conventions::{Executor, Instrument, attributes, metrics};
use gym_telemetry_collector::Series;

use crate::support::{Books, CALCULATIONS, Fleet, Folder, TASKS, tasks};

const REPEATS: usize = 10;

/// The accounts of a run with one more option.
fn run(option: &[&str]) -> Books {
    let folder = Folder::new(&tasks());
    let fleet = Fleet::on(&folder).option("--metrics-json", folder.metrics()).option("--verifiers", "2");
    let fleet = fleet.option("--repeats", REPEATS.to_string());
    option.iter().fold(fleet, |fleet, word| fleet.arg(word)).run().assert_success();
    let books = Books::of(&folder);
    books.settle_flawless(TASKS * REPEATS, CALCULATIONS * REPEATS);
    books
}

fn samples(books: &Books, metric: &Instrument) -> u64 {
    books.state.histograms(metric.name, |_| ()).get(&()).map_or(0, |seen| seen.count)
}

/// By whom operations were executed.
fn executors(books: &Books) -> Vec<String> {
    let executor =
        |series: &Series<'_>| series.attributes.str(attributes::RESOURCES_EXECUTOR.key).unwrap_or_default().to_owned();
    books.state.histograms(metrics::RESOURCES_OPERATION_DURATION_MS.name, executor).into_keys().collect()
}

/// The slots of the limit of this component.
fn slots(books: &Books, component: &str) -> f64 {
    let is_its = |series: &Series<'_>| series.attributes.str(attributes::CONCURRENCY_COMPONENT.key) == Some(component);
    assert_eq!(books.state.series(metrics::CONCURRENCY_LIMIT.name).filter(is_its).count(), 1);
    books.state.sum(metrics::CONCURRENCY_LIMIT.name, is_its)
}

#[test]
fn answers_are_verified_in_a_few_sandboxes_again_and_again() {
    let books = run(&["--concurrency", "16"]);
    assert_eq!(executors(&books), [Executor::Subprocess.as_str()]);
    assert_eq!(samples(&books, &metrics::SANDBOX_EXEC_DURATION_MS), (TASKS * REPEATS) as u64);
    assert!((1..=2).contains(&samples(&books, &metrics::SANDBOX_STARTUP_DURATION_MS)), "no more than verifications");
    assert_eq!((books.state.series(metrics::SANDBOX_ACTIVE.name).count(), slots(&books, "verifier")), (1, 2.0));
}

#[test]
fn without_sandboxes_the_server_verifies_by_itself() {
    let books = run(&["--no-sandbox"]);
    assert_eq!(executors(&books), [Executor::Inline.as_str()]);
    assert_eq!(books.state.series(metrics::SANDBOX_ACTIVE.name).count(), 0);
}

#[test]
fn the_limit_of_the_driver_is_what_was_asked_for_or_finds_its_own_value() {
    assert_eq!(slots(&run(&["--concurrency", "5"]), "driver"), 5.0);
    let found = slots(&run(&["--concurrency", "5", "--adaptive", "3"]), "driver");
    assert!((1.0..=3.0).contains(&found), "{found}");
}

#[test]
fn a_sandbox_has_limits_before_it_reads_anything() {
    let mut command = Fleet::new().arg("sandbox").into_command();
    let mut sandbox = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(sandbox.stdout.take().unwrap()).lines();
    assert_eq!(said.next().unwrap().unwrap(), r#""ready""#);
    let limits = fs::read_to_string(format!("/proc/{}/limits", sandbox.id())).unwrap();
    for (limit, value) in
        [("address space", "536870912"), ("open files", "8"), ("file size", "0"), ("core file size", "0")]
    {
        let line = limits.lines().find_map(|line| line.strip_prefix("Max ")?.strip_prefix(limit)).unwrap();
        assert_eq!(line.split_whitespace().take(2).collect::<Vec<_>>(), [value; 2], "{limit}");
    }

    let mut questions = sandbox.stdin.take().unwrap();
    questions.write_all(b"{\"Recorded\":{\"reward\":0.1}}\n").unwrap();
    assert_eq!(said.next().unwrap().unwrap(), r#"{"reward":0.1}"#);
    let limits = fs::read_to_string(format!("/proc/{}/limits", sandbox.id())).unwrap();
    assert!(limits.lines().any(|line| line.starts_with("Max cpu time") && line.contains(" 10 ")), "{limits}");
    drop(questions);
    assert!(sandbox.wait().unwrap().success());
}
