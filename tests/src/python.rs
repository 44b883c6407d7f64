use std::{
    ffi::OsStr,
    io::Write as _,
    process::{Command, Stdio},
};

use crate::missing;

/// What a Python script writes when it is given these arguments and this input. It may use the OpenTelemetry SDK, its
/// protobuf classes and its exporter of OTLP over HTTP; where they are not installed, there is no answer.
///
/// # Panics
///
/// When the script fails.
pub fn python<A: AsRef<OsStr>>(script: &str, arguments: impl IntoIterator<Item = A>, input: &[u8]) -> Option<Vec<u8>> {
    let there = Command::new("python3")
        .args(["-c", "import opentelemetry.exporter.otlp.proto.http"])
        .stderr(Stdio::null())
        .status();
    if !there.is_ok_and(|status| status.success()) {
        missing("opentelemetry-exporter-otlp-proto-http for Python");
        return None;
    }
    let mut python = Command::new("python3");
    let python = python.arg(script).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut running = python.spawn().unwrap();
    running.stdin.take().unwrap().write_all(input).unwrap();
    let output = running.wait_with_output().unwrap();
    assert!(output.status.success(), "{script} failed");
    Some(output.stdout)
}
