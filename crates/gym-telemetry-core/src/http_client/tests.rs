use super::*;
use crate::{HttpMethod, HttpScheme, HttpVersion, testing::Reader};

const DURATION: &str = "http.client.request.duration";

/// Attributes of a call to one server, and more.
fn attributes<'a>(method: &'a str, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let call = [
        ("http.request.method", method),
        ("url.scheme", "http"),
        ("server.address", "127.0.0.1"),
        ("server.port", "8000"),
    ];
    [&call[..], more].concat()
}

#[test]
fn a_call_is_one_sample_with_what_is_known_of_it() {
    let reader = Reader::new();
    let http = HttpClientMetrics::new(&reader.meter());
    let begin = |method| http.recorder().begin(method, HttpScheme::Http, Some(("127.0.0.1", 8000)));
    for status in [200, 404] {
        let mut call = begin(HttpMethod::Get);
        call.respond(status, HttpVersion::Http11);
        drop(call);
    }
    begin(HttpMethod::Other).fail("connect");
    begin(HttpMethod::Other).fail("connect");
    let mut broken = begin(HttpMethod::Get);
    broken.respond(200, HttpVersion::Http2);
    broken.fail("body");
    drop(begin(HttpMethod::Get));
    http.recorder().begin(HttpMethod::Get, HttpScheme::Https, None).fail("connect");

    let seen = reader.collect();
    let response = |status, version| [("http.response.status_code", status), ("network.protocol.version", version)];
    let count = |attributes: Vec<_>| seen.histogram(DURATION, &attributes).map(|(count, _)| count);
    assert_eq!(count(attributes("GET", &response("200", "1.1"))), Some(1));
    let refused = [&response("404", "1.1")[..], &[("error.type", "404")]].concat();
    assert_eq!(count(attributes("GET", &refused)), Some(1));
    assert_eq!(count(attributes("_OTHER", &[("error.type", "connect")])), Some(2));
    let broken = [&response("200", "2")[..], &[("error.type", "body")]].concat();
    assert_eq!(count(attributes("GET", &broken)), Some(1));
    assert_eq!(count(attributes("GET", &[("error.type", "cancelled")])), Some(1));
    let external = [
        ("http.request.method", "GET"),
        ("url.scheme", "https"),
        ("server.address", "external"),
        ("error.type", "connect"),
    ];
    assert_eq!(count(external.to_vec()), Some(1));
    assert_eq!(seen.series(DURATION), 6);
}

#[test]
fn series_are_bounded_and_no_call_is_lost() {
    let reader = Reader::new();
    let http = HttpClientMetrics::with_series_limit(&reader.meter(), 10);
    let recorder = http.recorder();
    for port in 0..1_000 {
        drop(recorder.begin(HttpMethod::Get, HttpScheme::Http, Some(("127.0.0.1", port))));
    }
    let seen = reader.collect();
    assert_eq!(seen.series(DURATION), 11);
    assert_eq!(seen.histogram(DURATION, &[("otel.metric.overflow", "true")]).map(|(count, _)| count), Some(990));
    drop(http);
    drop(recorder.begin(HttpMethod::Get, HttpScheme::Http, Some(("127.0.0.1", 0))));
    assert_eq!(reader.collect().histogram(DURATION, &[("otel.metric.overflow", "true")]).map(|seen| seen.0), Some(990));
}
