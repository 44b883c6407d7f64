//! What is sent, read by decoders and collectors that are not ours.

use gym_telemetry_tests::{Rotel, python};

use crate::{
    console::console,
    support::{Form, LONG, Receiver, expected_lines, lines, record_all, telemetry, to},
};

/// Has the Python SDK's classes decode a request; `None` when they are not there.
fn decode(form: &str, request: &[u8]) -> Option<Vec<String>> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/decode.py");
    let text = String::from_utf8(python(script, [form], request)?).unwrap();
    Some(text.lines().map(ToOwned::to_owned).collect())
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

#[test]
fn rotel_hands_on_every_instrument() {
    let receiver = Receiver::start(Form::Http);
    let Some(rotel) = Rotel::start(&receiver.url) else { return };
    let telemetry = to(rotel.url(), Form::Grpc, 3_600_000);
    record_all(&telemetry);
    telemetry.shutdown(LONG).unwrap();
    rotel.stop();
    assert_eq!(lines(&receiver.arrivals()[0].request), expected_lines());
}
