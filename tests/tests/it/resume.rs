//! Runs that go on where an earlier one ended.

use std::{collections::BTreeSet, fs};

use crate::support::{Fleet, Folder, HeldModel, TASKS, rows, tasks};

const REPEATS: usize = 3;

fn fleet(folder: &Folder) -> Fleet {
    Fleet::on(folder).option("--repeats", REPEATS.to_string())
}

/// Which rollouts the output has, all of them once.
fn done(folder: &Folder) -> BTreeSet<(u64, u64)> {
    let rows = rows(&folder.output());
    let index = |row: &serde_json::Value, field| row[field].as_u64().unwrap();
    let done: BTreeSet<_> =
        rows.iter().map(|row| (index(row, "_ng_task_index"), index(row, "_ng_rollout_index"))).collect();
    assert_eq!(done.len(), rows.len(), "a rollout is there twice");
    done
}

#[test]
fn what_is_done_is_not_done_again() {
    let folder = Folder::new(&tasks());
    fleet(&folder).option("--limit", "2").run().assert_success();
    let before = fs::read(folder.output()).unwrap();
    assert_eq!(
        done(&folder),
        (0..2).flat_map(|task| (0..REPEATS as u64).map(move |rollout| (task, rollout))).collect()
    );

    let ended = fleet(&folder).run();
    ended.assert_success();
    assert!(ended.stderr.contains("6 of 18 rollouts are in "), "{}", ended.stderr);
    assert!(fs::read(folder.output()).unwrap().starts_with(&before));
    assert_eq!(done(&folder).len(), TASKS * REPEATS);

    let before = fs::read(folder.output()).unwrap();
    fleet(&folder).run().assert_success();
    assert_eq!(fs::read(folder.output()).unwrap(), before, "nothing was left to do");
}

#[test]
fn a_torn_last_line_is_done_again() {
    let folder = Folder::new(&tasks());
    fleet(&folder).run().assert_success();
    let whole = done(&folder);
    let text = fs::read(folder.output()).unwrap();
    fs::write(folder.output(), &text[..text.len() - 20]).unwrap();

    let ended = fleet(&folder).run();
    ended.assert_success();
    assert!(ended.stderr.contains("17 of 18 rollouts are in "), "{}", ended.stderr);
    assert_eq!(done(&folder), whole);
}

#[test]
fn an_output_of_something_else_is_left_alone() {
    let folder = Folder::new(&tasks());
    for text in ["1\n2\n3\n", "a note", "{\"a\":\"setting\"}"] {
        fs::write(folder.output(), text).unwrap();
        fleet(&folder)
            .run()
            .assert_refused(&format!("{}:1: this is no result of a rollout", folder.output().display()));
        assert_eq!(fs::read_to_string(folder.output()).unwrap(), text);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "something was written");
}

#[test]
fn results_of_another_input_are_not_gone_on_with() {
    let folder = Folder::new(&tasks());
    fleet(&folder).run().assert_success();
    let [output, materialized] = [folder.output(), folder.output().with_extension("materialized.jsonl")];
    let before = [&output, &materialized].map(|file| fs::read(file).unwrap());
    let reversed: Vec<_> = tasks().lines().rev().map(|line| format!("{line}\n")).collect();
    fs::write(folder.input(), reversed.concat()).unwrap();
    let ended = fleet(&folder).run();
    ended.assert_refused(&format!(
        "{}:1: this is not the row that {}:1 is now",
        materialized.display(),
        folder.input().display()
    ));
    assert_eq!([&output, &materialized].map(|file| fs::read(file).unwrap()), before);
}

#[test]
fn results_that_a_run_leaves_out_are_still_of_their_input() {
    let folder = Folder::new(&tasks());
    fleet(&folder).run().assert_success();
    let materialized = folder.output().with_extension("materialized.jsonl");
    let whole = rows(&materialized).len();
    for limit in ["4", "1", "2"] {
        fleet(&folder).option("--limit", limit).run().assert_success();
        assert_eq!(rows(&materialized).len(), whole);
    }
    let last = tasks().lines().last().unwrap().replacen('{', r#"{"other":1,"#, 1);
    let all_but_last: Vec<_> = tasks().lines().take(TASKS - 1).map(|line| format!("{line}\n")).collect();
    fs::write(folder.input(), all_but_last.concat() + &last).unwrap();
    fleet(&folder).run().assert_refused("the results in ");
}

#[test]
fn an_output_is_of_one_run_at_a_time() {
    let (folder, model) = (Folder::new(&tasks()), HeldModel::start());
    let first = fleet(&folder).option("--model-url", &model.url).start();
    model.wait_until_asked(1);
    let materialized = fs::read(folder.output().with_extension("materialized.jsonl")).unwrap();
    let second = fleet(&folder).option("--limit", "1").run();
    second
        .assert_refused(&format!("cannot open the output {}: something else writes to it", folder.output().display()));
    assert_eq!(fs::read(folder.output().with_extension("materialized.jsonl")).unwrap(), materialized);
    model.answer();
    first.wait().assert_success();
    assert_eq!(done(&folder).len(), TASKS * REPEATS);
}

#[test]
fn what_failed_is_tried_again() {
    let folder = Folder::new(&tasks());
    fleet(&folder).option("--chaos", "fail=1").run().assert_success();
    assert_eq!((rows(&folder.output()).len(), rows(&folder.failures()).len()), (0, TASKS * REPEATS));
    fleet(&folder).run().assert_success();
    assert_eq!(done(&folder).len(), TASKS * REPEATS);
}
