//! Runs in which nothing goes wrong.

use std::{collections::BTreeMap, fs};

use gym_telemetry::conventions::{
    attributes::{MODEL_CALL_FINISH_REASON, MODEL_CALL_TOKEN_TYPE},
    metrics,
};
use gym_telemetry_collector::Series;
use serde_json::{Value, json};

use crate::support::{Books, CALCULATIONS, Fleet, Folder, TASKS, rows, tasks};

/// How often each reward is there.
fn rewards(rows: &[Value]) -> BTreeMap<String, usize> {
    let mut rewards = BTreeMap::new();
    rows.iter().for_each(|row| *rewards.entry(row["reward"].to_string()).or_default() += 1);
    rewards
}

/// Runs the tasks so often, so many at a time, and settles the accounts.
fn run(repeats: usize, concurrency: usize) -> (Folder, Books) {
    let folder = Folder::new(&tasks());
    let fleet = Fleet::on(&folder).option("--metrics-json", folder.metrics());
    let fleet = fleet.option("--repeats", repeats.to_string()).option("--concurrency", concurrency.to_string());
    fleet.run().assert_success();
    let books = Books::of(&folder);
    books.settle_flawless(TASKS * repeats, CALCULATIONS * repeats);
    (folder, books)
}

#[test]
fn tasks_settle_one_at_a_time_and_many_at_a_time() {
    run(3, 1);
    let (_, books) = run(50, 64);
    // The model is right four times out of five.
    assert_eq!(rewards(&books.scored).into_keys().collect::<Vec<_>>(), ["0.0", "1.0"]);
}

#[test]
fn a_run_replays_what_an_earlier_run_put_out() {
    let (recorded, books) = run(2, 8);
    for (repeats, concurrency) in [(1, 1), (30, 64)] {
        let folder = Folder::new("");
        let fleet = Fleet::new().option("--replay", recorded.output()).option("--output", folder.output());
        let fleet = fleet.option("--metrics-json", folder.metrics()).option("--concurrency", concurrency.to_string());
        fleet.option("--repeats", repeats.to_string()).run().assert_success();

        let replayed = Books::of(&folder);
        // What was calculated then is in the recorded responses.
        replayed.settle_flawless(books.scored.len() * repeats, 0);
        let expected = rewards(&books.scored).into_iter().map(|(reward, count)| (reward, count * repeats));
        assert_eq!(rewards(&replayed.scored), expected.collect());
    }
}

#[test]
fn rewards_and_responses_are_replayed_as_recorded() {
    let row = |response: Value, reward: Value| json!({"responses_create_params": {"input": "?"}, "response": response, "reward": reward});
    let said = json!({"output": [{"type": "message", "content": [{"type": "output_text", "text": "ö\n"}]}]});
    let recorded = [Value::from(-0.5), Value::from(0), Value::from(0.3), Value::from(1), Value::from(2.5), Value::Null];
    let lines: String = recorded.iter().map(|reward| format!("{}\n", row(said.clone(), reward.clone()))).collect();
    let folder = Folder::new("");
    let recording = folder.path().join("recording.jsonl");
    fs::write(&recording, lines).unwrap();
    let fleet = Fleet::new().option("--replay", recording).option("--output", folder.output());
    fleet.option("--metrics-json", folder.metrics()).run().assert_success();

    let books = Books::of(&folder);
    books.settle_flawless(recorded.len(), 0);
    for row in &books.scored {
        let task = row["_ng_task_index"].as_u64().unwrap() as usize;
        assert_eq!((&row["response"], &row["reward"]), (&said, &recorded[task]));
    }
}

#[test]
fn a_model_call_counts_what_its_response_tells_and_nothing_else() {
    let usage = json!({"input_tokens": 10, "output_tokens": 30, "output_tokens_details": {"reasoning_tokens": 20}});
    let responses = [
        json!({"status": "completed", "usage": usage}),
        json!({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "usage": usage}),
        json!({}),
    ];
    let row = |response| json!({"responses_create_params": {"input": "?"}, "response": response, "reward": 1});
    let folder = Folder::new(&responses.map(|response| format!("{}\n", row(response))).concat());
    let fleet = Fleet::new().option("--replay", folder.input()).option("--output", folder.output());
    fleet.option("--metrics-json", folder.metrics()).run().assert_success();

    let state = folder.state();
    let word = |series: &Series<'_>, key: &str| series.attributes.str(key).unwrap().to_owned();
    let finished = state.sums(metrics::MODEL_CALL_FINISH_TOTAL.name, |it| word(it, MODEL_CALL_FINISH_REASON.key));
    assert_eq!(
        finished,
        [("completed", 1.0), ("max_output_tokens", 1.0)].map(|(it, count)| (it.to_owned(), count)).into()
    );
    let tokens = state.histograms(metrics::MODEL_CALL_TOKENS.name, |it| word(it, MODEL_CALL_TOKEN_TYPE.key));
    let tokens = tokens.into_iter().map(|(token, seen)| (token, seen.count, seen.sum.unwrap()));
    let expected = [("input", 2, 20.0), ("output", 2, 60.0), ("reasoning", 2, 40.0)];
    assert_eq!(tokens.collect::<Vec<_>>(), expected.map(|(token, count, sum)| (token.to_owned(), count, sum)));
}

#[test]
fn without_options_it_runs_the_bundled_tasks_and_sums_up() {
    let folder = Folder::new("");
    let ended = Fleet::new().current_dir(folder.path()).run();
    ended.assert_success();
    let run = folder.path().join("fleet-output/run-1");
    let scored = rows(&run.join("rollouts.jsonl"));
    assert_eq!(scored.len(), rows(&run.join("rollouts.tasks.jsonl")).len());
    assert_eq!(fs::read_to_string(run.join("rollouts_failures.jsonl")).unwrap(), "");
    for part in [
        "scored",
        "reward full",
        "admission",
        "verify",
        "verify (subprocess): ok",
        "sandboxes",
        "driver: rollouts",
        "policy_model",
        "process_start",
        "rollouts.jsonl",
    ] {
        assert!(ended.stdout.contains(part), "the summary lacks `{part}`:\n{}", ended.stdout);
    }
}

#[test]
fn bundled_tasks_leave_other_files_alone() {
    let folder = Folder::new("");
    let output = folder.path().join("tasks.jsonl");
    Fleet::new().option("--output", &output).option("--limit", "2").run().assert_success();
    assert_eq!(rows(&output).len(), 2);
    assert!(rows(&folder.path().join("tasks.tasks.jsonl")).len() > 2);
}

#[test]
fn input_may_begin_with_a_byte_order_mark() {
    let folder = Folder::new(&format!("\u{feff}{}", tasks()));
    Fleet::on(&folder).run().assert_success();
    assert_eq!(rows(&folder.output()).len(), TASKS);
}

#[test]
fn a_summary_that_nobody_reads_ends_nothing() {
    let folder = Folder::new(&tasks());
    let mut command = Fleet::on(&folder).into_command();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let ended = command.stdout(writer).output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(ended.status.success(), "{said}");
    assert!(!said.contains("panicked") && !said.contains("error"), "{said}");
    assert_eq!(rows(&folder.output()).len(), TASKS);
    assert!(fs::read_to_string(folder.output().with_extension("html")).unwrap().trim_end().ends_with("</html>"));
}

#[test]
fn a_quiet_run_says_nothing() {
    let folder = Folder::new(&tasks());
    let ended = Fleet::on(&folder).arg("--quiet").run();
    ended.assert_success();
    assert_eq!((&*ended.stdout, &*ended.stderr), ("", ""));
}

#[test]
fn help_lists_every_option() {
    let ended = Fleet::new().arg("--help").run();
    ended.assert_success();
    for option in [
        "--input",
        "--replay",
        "--output",
        "--repeats",
        "--limit",
        "--concurrency",
        "--config",
        "--otlp-endpoint",
        "--metrics-json",
        "--page",
        "--no-page",
        "--keep",
        "--model-url",
        "--chaos",
        "--no-sandbox",
        "--adaptive",
        "--quiet",
    ] {
        assert!(
            ended.stdout.contains(&format!("{option} ")) || ended.stdout.contains(&format!("{option}\n")),
            "{option}"
        );
    }
}
