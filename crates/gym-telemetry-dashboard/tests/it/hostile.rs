//! Bodies that are not what they should be.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;

use crate::support::{Dashboard, FREE, gauge};

const PROTOBUF: &str = "application/x-protobuf";
const GZIP: &str = "content-encoding: gzip\r\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or("none")
}

#[test]
fn bombs_and_oversized_bodies_are_refused() {
    let mut dashboard = Dashboard::start(&FREE);
    let zeros = vec![0_u8; 64 << 20];
    assert_eq!(status(&dashboard.post(PROTOBUF, GZIP, &gzip(&zeros))), "413");
    assert_eq!(status(&dashboard.post(PROTOBUF, "", &zeros[..5 << 20])), "413");
    // Two bytes each: an empty message that would take up hundreds of bytes.
    let empty: Vec<u8> = [0x0a, 0x00].repeat(2 << 20);
    assert_eq!(status(&dashboard.post(PROTOBUF, "", &empty[..4 << 20])), "413");
    assert_eq!(status(&dashboard.post(PROTOBUF, GZIP, b"no gzip")), "400");
    assert_eq!(status(&dashboard.export(&gauge("policy", "lag", 1.0))), "200");
    assert!(dashboard.is_running());
}

#[test]
fn malformed_bodies_leave_it_as_it_was() {
    let mut dashboard = Dashboard::start(&FREE);
    let json = gauge("policy", "lag", 1.0);
    proptest!(ProptestConfig::with_cases(64), |(noise in prop::collection::vec(any::<u8>(), 0..200), cut in 0..200_usize)| {
        dashboard.post(PROTOBUF, "", &noise);
        dashboard.post(PROTOBUF, GZIP, &noise);
        let truncated = dashboard.export(&json[..cut.min(json.len() - 1)]);
        prop_assert_eq!(status(&truncated), "400");
        let mut compressed = gzip(json.as_bytes());
        compressed.truncate(cut.min(compressed.len() - 1));
        let compressed = dashboard.post("application/json", GZIP, &compressed);
        prop_assert_eq!(status(&compressed), "400");
    });
    assert!(dashboard.is_running());
    assert_eq!(status(&dashboard.export(&json)), "200");
    assert!(dashboard.page("/api/v1/processes").contains("policy"));
}
