//! Receiving, showing, recording, opening.

use std::fs;

use tempfile::TempDir;

use crate::support::{Dashboard, FREE, gauge, run};

#[test]
fn what_is_exported_is_on_the_page() {
    let dashboard = Dashboard::start(&FREE);
    assert!(dashboard.export(&gauge("policy", "lag", 12.5)).starts_with("HTTP/1.1 200"));
    let processes = dashboard.page("/api/v1/processes");
    assert!(processes.contains("policy"), "{processes}");
    let metrics = dashboard.page("/api/v1/metrics");
    assert!(metrics.contains("\"lag\""), "{metrics}");
    assert!(dashboard.page("/api/v1/otlp").contains("12.5"));
    assert!(dashboard.page("/").starts_with("HTTP/1.1 200"));
}

#[test]
fn a_recording_outlives_a_kill() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("run.otlp");
    let file = file.to_str().unwrap();
    let mut recording = Dashboard::start(&[&FREE[..], &["--record", file]].concat());
    recording.export(&gauge("policy", "lag", 12.5));
    recording.kill();
    let mut torn = fs::read(file).unwrap();
    torn.extend_from_slice(&[7; 11]);
    fs::write(file, torn).unwrap();
    let opened = Dashboard::start(&["open", file, "--page", "127.0.0.1:0"]);
    assert!(opened.page("/api/v1/processes").contains("policy"));
    assert!(opened.page("/api/v1/otlp").contains("12.5"));
}

#[test]
fn errors_take_a_line() {
    let folder = TempDir::new().unwrap();
    let here = folder.path().join("here");
    fs::write(&here, "something else").unwrap();
    let here = here.to_str().unwrap();
    let cases: [(&[&str], &str); 4] = [
        (&["open", here], "here is no recording"),
        (&["open", "/absent/file"], "cannot read /absent/file: No such file"),
        (&[&FREE[..], &["--record", here]].concat(), "here: File exists"),
        (&["--listen", "192.0.2.1:0"], "192.0.2.1:0 is not a loopback address"),
    ];
    for (arguments, expected) in cases {
        let output = run(arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.starts_with("error: ") && said.contains(expected), "{said}");
        assert_eq!((said.lines().count(), output.status.code()), (1, Some(1)), "{said}");
    }
}

#[test]
fn a_flood_is_refused_and_shown() {
    let dashboard = Dashboard::start(&[&FREE[..], &["--max-series", "2"]].concat());
    for metric in ["a", "b"] {
        assert!(!dashboard.export(&gauge("policy", metric, 1.0)).contains("partialSuccess\":{"), "{metric}");
    }
    let refused = dashboard.export(&gauge("policy", "c", 1.0));
    assert!(refused.contains("limit of 2 series"), "{refused}");
    let findings = dashboard.page("/api/v1/findings");
    assert!(findings.contains("limit of 2 series"), "{findings}");
}
