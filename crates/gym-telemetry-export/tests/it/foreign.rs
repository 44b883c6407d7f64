//! What is sent, read by decoders and collectors that are not ours.

use std::{
    io::Write,
    net::TcpListener,
    process::{Child, Command, Stdio},
};

use crate::{
    console::console,
    support::{Form, LONG, Receiver, eventually, expected_lines, lines, missing, record_all, telemetry, to},
};

/// Has the Python SDK's classes decode a request; `None` when they are not there.
fn decode(form: &str, request: &[u8]) -> Option<Vec<String>> {
    let there = Command::new("python3").args(["-c", "import opentelemetry.proto"]).stderr(Stdio::null()).status();
    if !there.is_ok_and(|status| status.success()) {
        missing("opentelemetry-proto for Python");
        return None;
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/decode.py");
    let mut python = Command::new("python3");
    let mut python = python.args([script, form]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    python.stdin.take().unwrap().write_all(request).unwrap();
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success());
    Some(String::from_utf8(output.stdout).unwrap().lines().map(ToOwned::to_owned).collect())
}

#[test]
fn python_reads_every_instrument_from_protobuf() {
    let receiver = Receiver::start(Form::Http);
    let telemetry = telemetry(&receiver);
    record_all(&telemetry);
    telemetry.shutdown(LONG).unwrap();
    let arrival = &receiver.arrivals()[0];
    assert_eq!(lines(&arrival.request), expected_lines());
    if let Some(decoded) = decode("protobuf", &arrival.body) {
        assert_eq!(decoded, expected_lines());
    }
}

#[test]
fn python_reads_every_instrument_from_a_console_line() {
    let (telemetry, kept) = console(&[]);
    record_all(&telemetry);
    telemetry.shutdown(LONG).unwrap();
    if let Some(decoded) = decode("json", kept.text().as_bytes()) {
        assert_eq!(decoded, expected_lines());
    }
}

/// A `rotel` collector that takes OTLP over gRPC and hands it on over HTTP.
struct Rotel {
    url: String,
    process: Child,
}

impl Rotel {
    /// Starts it before a receiver; `None` when it is not installed.
    fn start(behind: &Receiver) -> Option<Self> {
        let find = "import os, rotel; print(os.path.join(os.path.dirname(rotel.__file__), 'rotel-agent'))";
        let found = Command::new("python3").args(["-c", find]).stderr(Stdio::null()).output().ok()?;
        if !found.status.success() {
            missing("rotel");
            return None;
        }
        // It does not take port 0, so it is given ports that were free a moment ago.
        let free = || TcpListener::bind("127.0.0.1:0").unwrap();
        let [grpc, http] = [free(), free()].map(|listener| listener.local_addr().unwrap().to_string());
        let agent = String::from_utf8(found.stdout).unwrap();
        let process = Command::new(agent.trim())
            .args(["start", "--disable-batching", "--otlp-grpc-endpoint", &grpc, "--otlp-http-endpoint", &http])
            .args(["--exporter", "otlp", "--otlp-exporter-protocol", "http", "--otlp-exporter-endpoint", &behind.url])
            .stdout(Stdio::null())
            .spawn();
        Some(Self { url: format!("http://{grpc}"), process: process.unwrap() })
    }
}

impl Drop for Rotel {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

#[test]
fn rotel_hands_on_every_instrument() {
    let receiver = Receiver::start(Form::Http);
    let Some(rotel) = Rotel::start(&receiver) else { return };
    let telemetry = to(&rotel.url, Form::Grpc, 3_600_000);
    record_all(&telemetry);
    eventually("an export to rotel", || telemetry.flush(LONG).is_ok());
    receiver.wait_for(1);
    assert_eq!(lines(&receiver.arrivals()[0].request), expected_lines());
}
