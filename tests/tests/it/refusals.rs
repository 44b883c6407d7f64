//! What the fleet does not do, and how it says so.

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use crate::support::{Fleet, Folder, HeldModel, tasks};

#[test]
fn bad_input_is_named_and_costs_nothing() {
    let task = r#""responses_create_params":{"input":"?"}"#;
    for (replay, line, fault) in [
        (false, "{\"a\":".to_owned(), "not JSON: "),
        (false, "[1]".to_owned(), "a row must be a JSON object"),
        (false, "{}".to_owned(), "field `responses_create_params.input` is missing"),
        (
            false,
            r#"{"responses_create_params":{"input":3}}"#.to_owned(),
            "field `responses_create_params.input` must be",
        ),
        (false, format!("{{{task}}}"), "field `expected_answer` is missing"),
        (false, format!(r#"{{{task},"expected_answer":3}}"#), "field `expected_answer` must be a string"),
        (false, format!(r#"{{{task},"extraction_mode":"guess"}}"#), "field `extraction_mode`: `guess` is none of "),
        (false, format!(r#"{{{task},"extraction_mode":"arithmetic"}}"#), "field `expression` is missing"),
        (true, format!(r#"{{{task},"reward":1}}"#), "field `response` is missing"),
    ] {
        let good = format!(r#"{{{task},"expected_answer":"4","response":{{}}}}"#);
        let folder = Folder::new(&format!("{good}\n\n{line}\n{good}\n"));
        let kept = format!("{good}\n{{\"torn");
        fs::write(folder.output(), &kept).unwrap();
        let fleet = Fleet::new().option(if replay { "--replay" } else { "--input" }, folder.input());
        let ended = fleet.option("--output", folder.output()).run();
        ended.assert_refused(&format!("{}:3: {fault}", folder.input().display()));
        assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
        assert_eq!(fs::read_to_string(folder.output()).unwrap(), kept);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "something was written");
    }
}

#[test]
fn a_run_without_rows_is_refused() {
    Fleet::on(&Folder::new("\n")).run().assert_refused("error: no rows: ");
    Fleet::on(&Folder::new(&tasks())).option("--limit", "0").run().assert_refused("error: no rows: ");
    let ended = Fleet::on(&Folder::new(&tasks())).option("--repeats", u64::MAX.to_string()).run();
    ended.assert_refused("rows, more than memory holds");
    assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
}

#[test]
fn input_that_can_be_read_but_once_is_refused() {
    let folder = Folder::new("");
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for input in [&*pipe, Path::new("/dev/stdin"), Path::new("/dev/null")] {
        for option in ["--input", "--replay"] {
            let fleet = Fleet::new().option(option, input).option("--output", folder.output());
            fleet.run().assert_refused(&format!("{} is no regular file", input.display()));
        }
    }
    assert!(!folder.output().exists());
}

#[test]
fn two_files_of_a_run_may_not_be_one() {
    let folder = Folder::new(&tasks());
    let beside = |name: &str| folder.path().join(name);
    let clash = |input: &Path, output: &Path, metrics: &Path, roles: &str| {
        let before = fs::read(folder.input()).unwrap();
        let fleet = Fleet::new().option("--input", input).option("--output", output);
        let ended = fleet.option("--metrics-json", metrics).run();
        ended.assert_refused(&format!("{roles} are the same file, "));
        assert_eq!(fs::read(folder.input()).unwrap(), before);
        assert!(!folder.output().exists() && !folder.metrics().exists());
    };
    let (input, output, metrics) = (folder.input(), folder.output(), folder.metrics());
    clash(&input, &input, &metrics, "--input and --output");
    clash(&input, &beside(".").join("in.jsonl"), &metrics, "--input and --output");
    clash(&input, &output, &input, "--input and --metrics-json");
    clash(&input, &output, &output, "--output and --metrics-json");
    clash(&input, &beside("page.html"), &metrics, "--output and the page beside --output");
    clash(&input, &output, &beside("out.html"), "the page beside --output and --metrics-json");
    clash(&input, &output, &folder.failures(), "the failures beside --output and --metrics-json");
    for (name, role) in [("out_failures.jsonl", "failures"), ("out.materialized.jsonl", "materialized rows")] {
        fs::rename(&input, beside(name)).unwrap();
        std::os::unix::fs::symlink(beside(name), &input).unwrap();
        clash(&input, &output, &metrics, &format!("--input and the {role} beside --output"));
        fs::rename(beside(name), &input).unwrap();
    }
}

#[test]
fn an_output_that_cannot_be_written_stops_the_run_before_it_begins() {
    let (folder, model) = (Folder::new(&tasks()), HeldModel::start());
    model.answer();
    let (file, inner) = (folder.path().join("file"), folder.path().join("folder.jsonl"));
    fs::write(&file, "").unwrap();
    fs::create_dir(&inner).unwrap();
    for output in [folder.path().join("missing/out.jsonl"), file.join("out.jsonl"), inner] {
        let fleet = Fleet::new().option("--input", folder.input()).option("--output", &output);
        let ended = fleet.option("--model-url", &model.url).run();
        ended.assert_refused(&format!("{}", output.with_extension("").display()));
    }
    let metrics = folder.path().join("missing/metrics.json");
    let fleet = Fleet::on(&folder).option("--metrics-json", &metrics).option("--model-url", &model.url);
    fleet.run().assert_refused(&format!("cannot write {}", metrics.display()));
    assert_eq!(model.asked(), 0);
}

#[test]
fn a_run_that_is_refused_leaves_no_folder_behind() {
    let folder = Folder::new("[1]\n");
    let fleet = || Fleet::new().current_dir(folder.path());
    let config = folder.path().join("missing");
    fleet().option("--config", &config).run().assert_refused("missing");
    fleet().option("--input", folder.input()).run().assert_refused("a row must be a JSON object");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);

    let runs = folder.path().join("fleet-output");
    fs::create_dir_all(runs.join("run-1")).unwrap();
    fleet().option("--limit", "0").run().assert_refused("no rows");
    fleet().arg("--no-page").option("--limit", "1").run().assert_success();
    fleet().option("--config", &config).run().assert_refused("missing");
    let left = fs::read_dir(&runs).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(left.collect::<BTreeSet<_>>(), BTreeSet::from(["run-1", "run-2"].map(Into::into)));
    assert!(runs.join("run-2/rollouts.jsonl").exists());
}

#[test]
fn what_cannot_be_read_is_named() {
    let folder = Folder::new(&tasks());
    let missing = folder.path().join("missing");
    Fleet::on(&folder).option("--config", &missing).run().assert_refused(&format!("{}", missing.display()));
    let fleet = Fleet::new().option("--input", &missing).option("--output", folder.output());
    fleet.run().assert_refused(&format!("{}", missing.display()));
}

#[test]
fn a_setting_that_cannot_be_used_is_named() {
    let folder = Folder::new(&tasks());
    let config = folder.path().join("config.yaml");
    for (block, named) in [
        ("{exporter: pigeon}", "pigeon"),
        ("{enabled: perhaps}", "telemetry.enabled: "),
        ("{export_interval_ms: 0}", "export_interval_ms"),
        ("{memory_profiling: {interval_seconds: 0}}", "interval_seconds"),
        ("{unknown: 1}", "unknown"),
        ("{enabled: true, exporter: console}", "telemetry.exporter: `console` writes to standard output"),
        ("{", "config.yaml"),
    ] {
        fs::write(&config, format!("telemetry: {block}\n")).unwrap();
        Fleet::on(&folder).option("--config", &config).run().assert_refused(named);
    }
    Fleet::on(&folder).env("OTEL_METRIC_EXPORT_INTERVAL", "soon").run().assert_refused("OTEL_METRIC_EXPORT_INTERVAL");
    assert!(!folder.output().exists());
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let folder = Folder::new(&tasks());
    let fleet = || Fleet::on(&folder).option("--metrics-json", folder.metrics());
    fleet().option("--otlp-endpoint", "http://127.0.0.1:1").run().assert_refused("--otlp-endpoint");
    let config = folder.path().join("config.yaml");
    for block in [
        "{enabled: false}",
        "{enabled: true, metrics_enabled: false}",
        "{enabled: true, otlp_endpoint: 'http://127.0.0.1:1'}",
    ] {
        fs::write(&config, format!("telemetry: {block}\n")).unwrap();
        fleet().option("--config", &config).run().assert_refused("--metrics-json needs the built-in collector");
    }
    for (name, value) in [("ENDPOINT", "http://127.0.0.1:1"), ("PROTOCOL", "http/protobuf")] {
        let fleet = fleet().env(&format!("OTEL_EXPORTER_OTLP_METRICS_{name}"), value);
        fleet.run().assert_refused("--metrics-json needs the built-in collector");
    }
    fleet().option("--replay", folder.input()).run().assert_refused("--replay");
    fleet().option("--model-url", "model").run().assert_refused("--model-url");
    fleet().option("--page", "0.0.0.0:0").run().assert_refused("the page is for this machine alone");
    fleet().option("--chaos", "cancel=.1,cancel=.2").run().assert_refused("`cancel` is there twice");
    fleet().option("--concurrency", "0").run().assert_refused("--concurrency");
    fleet().option("--repeats", "0").run().assert_refused("--repeats");
    fleet().option("--chaos", "cancel=2").run().assert_refused("`cancel=2`: a share is a number from 0 to 1");
    fleet().option("--chaos", "flood=1").run().assert_refused("`flood` is none of cancel, panic, fail, slow");
    assert!(!folder.output().exists());
}
