use std::fs;

use gym_telemetry_core::DriverMetrics;
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::metrics::SdkMeterProvider;

use super::*;

fn metrics() -> DriverMetrics {
    DriverMetrics::new(&SdkMeterProvider::builder().build().meter("test"))
}

#[tokio::test]
async fn rows_are_lines_in_the_order_of_writing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.jsonl");
    let output = OutputWriter::open(&path, metrics()).unwrap();
    output.write("{\"a\":1}").await.unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"a\":1}\n", "a row is there once its write returned");
    output.write("{\"b\":2}").await.unwrap();
    assert!(matches!(output.write("{\n}").await, Err(OutputError::NotOneLine { .. })));
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"a\":1}\n{\"b\":2}\n");
}

#[tokio::test]
async fn a_torn_last_line_is_cut_off_on_resume() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.jsonl");
    let long = "x".repeat(200_000);
    for (left, kept) in [
        ("{\"a\":1}\n{\"b\":", "{\"a\":1}\n".to_owned()),
        ("{\"torn", String::new()),
        ("", String::new()),
        (&*format!("{{\"a\":1}}\n{long}"), "{\"a\":1}\n".to_owned()),
    ] {
        fs::write(&path, left).unwrap();
        let output = OutputWriter::open(&path, metrics()).unwrap();
        output.write("{\"c\":3}").await.unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), format!("{kept}{{\"c\":3}}\n"));
    }
}

#[tokio::test]
async fn a_full_disk_is_an_error_that_loses_no_earlier_row() {
    // Linux's `/dev/full` takes every open and refuses every write.
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let output = OutputWriter::open("/dev/full", metrics()).unwrap();
    for _ in 0..2 {
        let error = output.write("{}").await.unwrap_err();
        assert!(matches!(error, OutputError::Write { .. }), "{error}");
    }
}

#[test]
fn what_cannot_be_opened_is_named() {
    let error = OutputWriter::open("/no/such/folder/out.jsonl", metrics()).unwrap_err();
    assert_eq!(error.to_string(), "cannot open the output /no/such/folder/out.jsonl");
}
