//! From bytes to a request, whatever the bytes.

use gym_telemetry_collector::decode::{DecodeError, Format, decode, inflate};
use gym_telemetry_collector::{Limits, Request, Store};
use opentelemetry_proto::tonic::metrics::v1::{self as wire, metric};
use proptest::prelude::*;
use prost::Message;

use crate::support::{CUMULATIVE, buckets, counter, from_process, gauge, gzip, histogram, int, metric as named, text};

const LIMIT: usize = 100_000;

#[test]
fn a_request_decodes_from_both_formats() {
    let request = from_process(
        1,
        vec![
            gauge("g", vec![int(1, 5, vec![text("a", "b")])]),
            histogram("h", CUMULATIVE, vec![buckets(1, [1, 2, 3], 6.0, vec![])]),
        ],
    );
    let json = serde_json::to_vec(&request).unwrap();
    let protobuf = request.encode_to_vec();
    assert_eq!(decode(&protobuf, Format::Protobuf, LIMIT).unwrap().as_bytes(), protobuf);
    assert_eq!(decode(&json, Format::Json, LIMIT).unwrap(), Request::from(request));
}

#[test]
fn every_truncation_is_an_error_or_a_shorter_request() {
    let bytes = counter(1, 1, 5).encode_to_vec();
    for end in 1..bytes.len() {
        assert!(decode(&bytes[..end], Format::Protobuf, LIMIT).is_err(), "{end} of {} bytes", bytes.len());
    }
    let json = serde_json::to_vec(&counter(1, 1, 5)).unwrap();
    for end in 0..json.len() {
        assert!(matches!(decode(&json[..end], Format::Json, LIMIT), Err(DecodeError::Json(_))), "{end}");
    }
}

#[test]
fn what_is_too_long_is_not_even_looked_at() {
    let bytes = vec![0xff; 11];
    assert!(matches!(decode(&bytes, Format::Protobuf, 10), Err(DecodeError::TooLarge { limit: 10, .. })));
    assert!(matches!(decode(&bytes, Format::Json, 10), Err(DecodeError::TooLarge { limit: 10, .. })));
}

#[test]
fn empty_messages_by_the_thousand_are_not_decoded() {
    let many = 20_000;
    let numbers = gauge("g", vec![wire::NumberDataPoint::default(); many]);
    let points = vec![wire::ExponentialHistogramDataPoint::default(); many];
    let data = wire::ExponentialHistogram { data_points: points, aggregation_temporality: CUMULATIVE };
    let exponential = named("e", metric::Data::ExponentialHistogram(data));
    let quantile_values = vec![wire::summary_data_point::ValueAtQuantile::default(); many];
    let summary = wire::SummaryDataPoint { quantile_values, ..wire::SummaryDataPoint::default() };
    let summary = named("s", metric::Data::Summary(wire::Summary { data_points: vec![summary] }));
    let exemplars = vec![wire::Exemplar::default(); many];
    let exemplars = gauge("x", vec![wire::NumberDataPoint { exemplars, ..int(1, 1, vec![]) }]);
    let attributes = gauge("a", vec![int(1, 1, vec![Default::default(); many])]);
    for metric in [numbers, exponential, summary, exemplars, attributes, gauge("g", vec![])] {
        let metrics =
            if metric.data == gauge("g", vec![]).data { vec![Default::default(); many] } else { vec![metric] };
        let bytes = from_process(1, metrics).encode_to_vec();
        assert!(bytes.len() < LIMIT);
        let error = decode(&bytes, Format::Protobuf, LIMIT).unwrap_err();
        assert!(matches!(error, DecodeError::TooManyMessages { .. }), "{error:?}");
    }
    let json = format!(r#"{{"resourceMetrics":[{}{{}}]}}"#, "{},".repeat(many));
    assert!(matches!(decode(json.as_bytes(), Format::Json, LIMIT), Err(DecodeError::TooManyMessages { .. })));
}

#[test]
fn attributes_nested_without_end_are_an_error() {
    // A list in a list in a list, 20 000 deep, as a sender can write it and nobody has to follow it.
    let mut value = Vec::new();
    for _ in 0..20_000 {
        let field = |tag: u8, inner: &[u8]| {
            let mut out = vec![tag];
            prost::encode_length_delimiter(inner.len(), &mut out).unwrap();
            out.extend_from_slice(inner);
            out
        };
        value = field(0x2a, &field(0x0a, &value));
    }
    let mut body = value;
    for tag in [0x12, 0x0a, 0x0a, 0x0a] {
        let mut out = vec![tag];
        prost::encode_length_delimiter(body.len(), &mut out).unwrap();
        out.extend_from_slice(&body);
        body = out;
    }
    assert!(matches!(decode(&body, Format::Protobuf, 10 * body.len()), Err(DecodeError::Wire)));
    let json = format!(r#"{{"resourceMetrics":{}"#, "[".repeat(50_000));
    assert!(matches!(decode(json.as_bytes(), Format::Json, LIMIT), Err(DecodeError::Json(_))));
}

#[test]
fn decompression_stops_at_the_limit() {
    let bomb = gzip(&vec![0; 50_000_000]);
    assert!(bomb.len() < 500_000);
    assert!(matches!(inflate(&bomb, LIMIT), Err(DecodeError::TooLarge { .. })));
    assert_eq!(inflate(&gzip(&[7; LIMIT]), LIMIT).unwrap(), [7; LIMIT]);
    assert!(matches!(inflate(&gzip(&[7; LIMIT + 1]), LIMIT), Err(DecodeError::TooLarge { .. })));
}

#[test]
fn what_is_not_gzip_is_an_error() {
    let whole = gzip(b"some text that is long enough to be worth it");
    for end in 0..whole.len() {
        assert!(matches!(inflate(&whole[..end], LIMIT), Err(DecodeError::Gzip(_))), "{end} of {}", whole.len());
    }
    assert!(matches!(inflate(b"not gzip at all", LIMIT), Err(DecodeError::Gzip(_))));
}

proptest! {
    #[test]
    fn no_bytes_break_the_decoder_or_the_store(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut store = Store::new(Limits::default());
        for format in [Format::Protobuf, Format::Json] {
            if let Ok(request) = decode(&bytes, format, LIMIT) {
                store.apply(request);
            }
        }
    }

    #[test]
    fn no_damage_to_a_request_breaks_the_decoder_or_the_store(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let points = vec![buckets(1, [1, 2, 3], 6.0, vec![text("a", "b")]), buckets(2, [9, 9, 9], 7.0, vec![])];
        let request = from_process(1, vec![histogram("h", 1, points)]);
        let mut store = Store::new(Limits::default());
        for (format, mut bytes) in [
            (Format::Protobuf, request.encode_to_vec()),
            (Format::Json, serde_json::to_vec(&request).unwrap()),
        ] {
            for (at, byte) in &damage {
                *at.get_mut(&mut bytes) = *byte;
            }
            if let Ok(request) = decode(&bytes, format, LIMIT) {
                store.apply(request);
                store.snapshot().write_json(std::io::sink()).unwrap();
            }
        }
    }
}
