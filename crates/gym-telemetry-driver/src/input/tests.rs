use std::{fs, io::Write as _, process::Command, thread, time::Duration};

use gym_telemetry_core::DriverMetrics;
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::metrics::SdkMeterProvider;

use super::*;
use crate::testing::Reader;

fn run(text: impl AsRef<[u8]>, repeats: u64, limit: Option<usize>) -> Result<Vec<Materialized>, String> {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.jsonl"), folder.path().join("materialized.jsonl"));
    fs::write(&input, text).unwrap();
    let metrics = DriverMetrics::new(&SdkMeterProvider::builder().build().meter("test"));
    let rows = materialize(&input, repeats, limit, Some(&output), &metrics)
        .map_err(|error| error.to_string().replace(&*folder.path().to_string_lossy(), ""))?;
    assert_eq!(fs::read_to_string(&output).unwrap().lines().count(), rows.len());
    Ok(rows)
}

#[test]
fn rows_are_repeated_in_the_order_of_the_input() {
    let rows = run("{\"a\":1}\n\n{\"a\":2}\n", 2, None).unwrap();
    let seen: Vec<_> = rows.iter().map(|row| (row.task, row.rollout, row.line, row.input()["a"].as_u64())).collect();
    assert_eq!(seen, [(0, 0, 1, Some(1)), (0, 1, 1, Some(1)), (1, 0, 3, Some(2)), (1, 1, 3, Some(2))]);
    assert_eq!(rows[3].row()["_ng_task_index"], 1);
    assert_eq!(rows[3].row()["_ng_rollout_index"], 1);
}

#[test]
fn reading_and_writing_are_one_sample() {
    const LATE: Duration = Duration::from_millis(20);
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&input).status().unwrap().success());
    let writes = thread::spawn({
        let input = input.clone();
        move || {
            // There is a writer once there is a reader.
            let mut pipe = fs::OpenOptions::new().write(true).open(input)?;
            thread::sleep(LATE);
            pipe.write_all(b"{}\n")
        }
    });
    let reader = Reader::new();
    let metrics = DriverMetrics::new(&reader.meter());
    let rows = materialize(&input, 2, None, None, &metrics).unwrap();
    writes.join().unwrap().unwrap();
    assert_eq!(rows.len(), 2);
    let (count, sum) = reader.collect().histogram("gym.driver.materialize_duration_ms", &[]).unwrap();
    assert!(count == 1 && sum >= LATE.as_secs_f64() * 1e3, "{count}, {sum} ms");
}

#[test]
fn a_limit_reads_no_further() {
    assert_eq!(run("{}\n{}\nnot read", 3, Some(2)).unwrap().len(), 6);
}

#[test]
fn a_bad_line_is_named() {
    assert_eq!(run("{}\n[1]\n", 1, None).unwrap_err(), "/in.jsonl:2: a row must be a JSON object");
    let error = run("{}\n{}\n{\"a\":\n", 1, None).unwrap_err();
    assert!(error.starts_with("/in.jsonl:3: not JSON: "), "{error}");
}

#[test]
fn a_byte_order_mark_is_passed_over_where_files_begin() {
    assert_eq!(run("\u{feff}{\"a\":1}\n", 1, None).unwrap()[0].input()["a"], 1);
    assert!(run("{}\n\u{feff}{}\n", 1, None).unwrap_err().starts_with("/in.jsonl:2: not JSON: "));
}

#[test]
fn a_line_that_is_no_text_is_named() {
    let error = run(b"{}\n{\"a\":\"\xff\"}\n", 1, None).unwrap_err();
    assert!(error.starts_with("/in.jsonl:2: not UTF-8: "), "{error}");
}

#[test]
fn rows_without_number_are_refused() {
    let rows = 2 * u128::from(u64::MAX);
    let error = run("{}\n{}\n", u64::MAX, None).unwrap_err();
    assert_eq!(error, format!("the input /in.jsonl and its repeats are {rows} rows, more than memory holds"));
}
