use std::{
    fs,
    io::{ErrorKind, Read as _},
    path::Path,
    process::Command,
    thread,
};

use gym_telemetry_core::DriverMetrics;
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use proptest::prelude::*;
use serde_json::Value;

use super::{file::LineFile, *};
use crate::testing::Reader;

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
async fn a_last_row_that_lacks_only_its_line_break_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.jsonl");
    fs::write(&path, "{\"a\":1}\n{\"b\":2}").unwrap();
    let output = OutputWriter::open(&path, metrics()).unwrap();
    output.write("{\"c\":3}").await.unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n");
}

#[tokio::test]
async fn a_full_disk_is_an_error_and_no_sample() {
    // Linux's `/dev/full` takes every open and refuses every write.
    if !Path::new("/dev/full").exists() {
        println!("skipped: there is no /dev/full");
        return;
    }
    let reader = Reader::new();
    let output = OutputWriter::open("/dev/full", DriverMetrics::new(&reader.meter())).unwrap();
    for _ in 0..2 {
        let error = output.write("{}").await.unwrap_err();
        let OutputError::Write { source, .. } = &error else { panic!("{error}") };
        assert_eq!(source.kind(), ErrorKind::StorageFull);
    }
    assert!(reader.collect().is_empty());
}

#[tokio::test]
async fn a_file_that_can_only_be_read_is_an_error_that_names_it() {
    // It refuses writes even of those whom permissions do not stop: these may open it, and fail when they write.
    const READ_ONLY: &str = "/proc/version";
    let reader = Reader::new();
    let error = match OutputWriter::open(READ_ONLY, DriverMetrics::new(&reader.meter())) {
        Ok(output) => output.write("{}").await.unwrap_err(),
        Err(error) => error,
    };
    assert!(error.to_string().contains(READ_ONLY), "{error}");
    assert!(reader.collect().is_empty());
}

#[tokio::test]
async fn a_closed_pipe_is_an_error_that_loses_no_earlier_row() {
    let (mut reader, writer) = std::io::pipe().unwrap();
    let path = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&writer));
    if !Path::new(&path).exists() {
        println!("skipped: there is no {path}");
        return;
    }
    let output = OutputWriter::open(path, metrics()).unwrap();
    drop(writer);
    output.write("{\"a\":1}").await.unwrap();
    let mut line = [0; 8];
    reader.read_exact(&mut line).unwrap();
    assert_eq!(&line, b"{\"a\":1}\n");
    drop(reader);
    let error = output.write("{}").await.unwrap_err();
    let OutputError::Write { source, .. } = &error else { panic!("{error}") };
    assert_eq!(source.kind(), ErrorKind::BrokenPipe);
}

#[test]
fn nothing_follows_a_torn_row_that_cannot_be_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    let writer = thread::spawn({
        let path = path.clone();
        move || {
            let mut lines = LineFile::open(&path).unwrap();
            // More than a pipe holds: part of it is read, and then there is no reader.
            let torn = lines.append(&[b'x'; 1 << 20]).unwrap_err();
            (lines, torn)
        }
    });
    fs::File::open(&path).unwrap().read_exact(&mut [0; 10]).unwrap();
    let (mut lines, torn) = writer.join().unwrap();
    assert_eq!(torn.kind(), ErrorKind::BrokenPipe);

    let mut next = fs::File::open(&path).unwrap();
    let rest = thread::spawn(move || {
        let mut rest = Vec::new();
        next.read_to_end(&mut rest).map(|_| rest)
    });
    assert_eq!(lines.append(b"{}\n").unwrap_err().to_string(), "part of an earlier row was written");
    drop(lines);
    assert!(rest.join().unwrap().unwrap().iter().all(|byte| *byte == b'x'));
}

/// A row that an earlier run left without its line break.
const FIRST: &str = "{\"first\":true}";

/// Where the test below finds the file that it is to fill, in the process that may write but little.
const LIMITED: &str = "GYM_TELEMETRY_TEST_LIMITED_OUTPUT";

#[tokio::test]
async fn a_row_that_no_longer_fits_leaves_the_others_whole() {
    if let Ok(path) = std::env::var(LIMITED) {
        return fill(Path::new(&path)).await;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.jsonl");
    fs::write(&path, FIRST).unwrap();
    let this_test = "output::tests::a_row_that_no_longer_fits_leaves_the_others_whole";
    // A process that ignores the signal gets the error instead, after a part of the row was written.
    let limited = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", this_test])
        .env(LIMITED, &path)
        .output()
        .unwrap();
    assert!(limited.status.success(), "{}", String::from_utf8_lossy(&limited.stdout));
    let text = fs::read_to_string(&path).unwrap();
    let rows: Vec<Value> = text.lines().map(|row| serde_json::from_str(row).expect("a whole row")).collect();
    assert!(text.ends_with('\n') && rows.len() > 2);
    assert_eq!(rows.last().unwrap()["last"], true, "a row that fits is taken after one that does not");
}

/// Writes rows until the file may grow no more, then a smaller one.
async fn fill(path: &Path) {
    let output = OutputWriter::open(path, metrics()).unwrap();
    let row = format!("{{\"text\":\"{}\"}}", "x".repeat(700));
    let mut written = 0;
    let error = loop {
        match output.write(row.clone()).await {
            Ok(()) => written += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, OutputError::Write { .. }), "{error}");
    assert_eq!(fs::read_to_string(path).unwrap(), format!("{FIRST}\n{}", format!("{row}\n").repeat(written)));
    output.write("{\"last\":true}").await.unwrap();
}

#[tokio::test]
async fn a_file_has_one_writer_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.jsonl");
    let first = OutputWriter::open(&path, metrics()).unwrap();
    let error = OutputWriter::open(&path, metrics()).unwrap_err();
    let OutputError::Open { source, .. } = &error else { panic!("{error}") };
    assert_eq!(source.kind(), ErrorKind::ResourceBusy);
    first.write("{\"a\":1}").await.unwrap();

    // The last row of a writer that was given up is written before the next may open.
    {
        let mut write = std::pin::pin!(first.write("{\"b\":2}"));
        let _ = write.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop()));
    }
    drop(first);
    let second = OutputWriter::open(&path, metrics()).unwrap();
    second.write("{\"c\":3}").await.unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n");
}

#[test]
fn what_cannot_be_opened_is_named() {
    let error = OutputWriter::open("/no/such/folder/out.jsonl", metrics()).unwrap_err();
    assert_eq!(error.to_string(), "cannot open the output /no/such/folder/out.jsonl");
}

#[test]
fn a_folder_is_no_output() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(OutputWriter::open(folder.path(), metrics()), Err(OutputError::Open { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Wherever a crash cuts the file, the rows before the cut are there on resume, each whole, and no other.
    #[test]
    fn a_crash_costs_no_row_but_the_last(
        lengths in prop::collection::vec(0_usize..200, 1..10), cut in any::<prop::sample::Index>()
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.jsonl");
        let rows: Vec<_> = lengths.iter().map(|length| format!("{{\"text\":\"{}\"}}", "x".repeat(*length))).collect();
        let mut lines = LineFile::open(&path).unwrap();
        for row in &rows {
            lines.append(format!("{row}\n").as_bytes()).unwrap();
        }
        drop(lines);
        let text = fs::read_to_string(&path).unwrap();
        let cut = cut.index(text.len() + 1);
        fs::write(&path, &text[..cut]).unwrap();

        LineFile::open(&path).unwrap().append(b"{}\n").unwrap();
        // A row is whole once its closing brace was written.
        let mut end = 0;
        let whole = rows.iter().take_while(|row| { end += row.len() + 1; end - 1 <= cut });
        let expected: String = whole.map(|row| format!("{row}\n")).chain(["{}\n".to_owned()]).collect();
        prop_assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    }
}
