use std::thread;

use super::*;
use crate::{HttpConventions, RequestInFlight, RequestMetrics, RequestSettings, testing::Reader};

const DURATION: &str = "http.server.request.duration";
const ACTIVE: &str = "http.server.active_requests";
const RECEIVED: &str = "http.server.request.body.size";
const SENT: &str = "http.server.response.body.size";

const GET: HttpRequest =
    HttpRequest { method: HttpMethod::Get, scheme: HttpScheme::Http, version: HttpVersion::Http11 };

fn requests(reader: &Reader, http: HttpConventions) -> RequestMetrics {
    RequestMetrics::with_settings(&reader.meter(), RequestSettings::default().http(http).http_series_limit(40))
}

fn begin(requests: &RequestMetrics, request: HttpRequest, route: Option<&str>) -> RequestInFlight {
    let mut in_flight = requests.recorder().begin();
    in_flight.follow(|| request);
    route.into_iter().for_each(|route| in_flight.set_route(route));
    in_flight
}

/// The attributes of a `GET /a` over HTTP/1.1 that ended so.
fn ended<'a>(more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let all = [
        ("http.request.method", "GET"),
        ("http.route", "/a"),
        ("url.scheme", "http"),
        ("network.protocol.version", "1.1"),
    ];
    [&all[..], more].concat()
}

#[test]
fn a_request_is_one_sample_of_its_time_and_of_both_sizes() {
    let reader = Reader::new();
    let requests = requests(&reader, HttpConventions::Stable);
    let mut request = begin(&requests, GET, Some("/a"));
    let received = request.receive().unwrap();
    received.add(3);
    received.add(4);
    request.respond(200);
    request.send(10);
    request.send(20);
    request.finish();

    let seen = reader.collect();
    let attributes = ended(&[("http.response.status_code", "200")]);
    let (count, seconds) = seen.histogram(DURATION, &attributes).unwrap();
    assert!(count == 1 && seconds > 0.0 && seconds < 60.0);
    assert_eq!(seen.histogram(RECEIVED, &attributes), Some((1, 7.0)));
    assert_eq!(seen.histogram(SENT, &attributes), Some((1, 30.0)));
    assert_eq!(seen.total("http.server.duration"), 0.0);
}

#[test]
fn a_request_body_that_nobody_counts_is_no_sample() {
    let reader = Reader::new();
    let requests = requests(&reader, HttpConventions::Stable);
    begin(&requests, GET, Some("/a")).finish();
    let mut empty = begin(&requests, GET, Some("/b"));
    empty.receive_nothing();
    empty.finish();
    let seen = reader.collect();
    assert_eq!([SENT, RECEIVED].map(|metric| seen.series(metric)), [2, 1]);
}

#[test]
fn the_way_it_ended_is_its_error_type() {
    let reader = Reader::new();
    let requests = requests(&reader, HttpConventions::Stable);
    type End = fn(&mut RequestInFlight);
    let ends: [(Option<u16>, End, Option<&str>); 8] = [
        (Some(404), RequestInFlight::finish, None),
        (Some(503), RequestInFlight::finish, Some("503")),
        (None, |request| drop(request.cancel()), Some("cancelled")),
        (Some(500), |request| drop(request.cancel()), Some("cancelled")),
        (None, RequestInFlight::panic, Some("panic")),
        (Some(200), RequestInFlight::panic, Some("panic")),
        (None, RequestInFlight::fail, Some("_OTHER")),
        (Some(200), RequestInFlight::fail, Some("_OTHER")),
    ];
    for (status, end, _) in ends {
        let mut request = begin(&requests, GET, Some("/a"));
        status.into_iter().for_each(|status| request.respond(status));
        end(&mut request);
    }
    let seen = reader.collect();
    for (status, _, error) in ends {
        let status = status.map(|status| status.to_string());
        let status = status.as_deref().map(|status| ("http.response.status_code", status));
        let more: Vec<_> = status.into_iter().chain(error.map(|error| ("error.type", error))).collect();
        assert_eq!(seen.histogram(DURATION, &ended(&more)).map(|(count, _)| count), Some(1), "{more:?}");
    }
    assert_eq!(seen.series(DURATION), ends.len());
}

#[test]
fn r21_r22_active_requests_return_to_zero_and_stay_visible() {
    let reader = Reader::new();
    let requests = requests(&reader, HttpConventions::Stable);
    let post = HttpRequest { method: HttpMethod::Other, scheme: HttpScheme::Https, version: HttpVersion::Http2 };
    let mut open = vec![begin(&requests, GET, None), begin(&requests, GET, Some("/a")), begin(&requests, post, None)];
    let active = || {
        let seen = reader.collect();
        let of = |method, scheme| seen.value(ACTIVE, &[("http.request.method", method), ("url.scheme", scheme)]);
        (of("GET", "http"), of("_OTHER", "https"), seen.series(ACTIVE))
    };
    assert_eq!(active(), (Some(2.0), Some(1.0), 2));
    open.remove(0).finish();
    assert_eq!(active(), (Some(1.0), Some(1.0), 2));
    thread::spawn(move || open.clear()).join().unwrap();
    assert_eq!(active(), (Some(0.0), Some(0.0), 2));
    assert_eq!(active(), (Some(0.0), Some(0.0), 2));
}

#[test]
fn the_names_of_old_come_on_top() {
    let reader = Reader::new();
    let requests = requests(&reader, HttpConventions::StableAndOld);
    let mut request = begin(&requests, GET, Some("/a"));
    request.receive_nothing();
    request.respond(503);
    request.send(6);
    request.finish();
    let seen = reader.collect();
    let old = [
        ("http.method", "GET"),
        ("http.target", "/a"),
        ("http.scheme", "http"),
        ("http.flavor", "1.1"),
        ("http.status_code", "503"),
    ];
    let milliseconds = seen.histogram("http.server.duration", &old).unwrap();
    let new = ended(&[("http.response.status_code", "503"), ("error.type", "503")]);
    let seconds = seen.histogram(DURATION, &new).unwrap();
    assert_eq!(milliseconds.0, seconds.0);
    assert!((milliseconds.1 - seconds.1 * 1_000.0).abs() < 1e-9);
    assert_eq!(seen.histogram("http.server.response.size", &old), Some((1, 6.0)));
    assert_eq!(seen.histogram("http.server.request.size", &old), Some((1, 0.0)));
}

#[test]
fn x11_junk_does_not_take_the_place_of_a_route() {
    let reader = Reader::new();
    let requests = requests(&reader, HttpConventions::Stable);
    for status in (100..=999).cycle().take(10_000) {
        let mut request = begin(&requests, GET, None);
        request.respond(status);
        request.finish();
    }
    let mut request = begin(&requests, GET, Some("/a"));
    request.respond(200);
    request.finish();

    let seen = reader.collect();
    let count = |attributes: &[(&str, &str)]| seen.histogram(DURATION, attributes).map(|(count, _)| count);
    assert_eq!(count(&ended(&[("http.response.status_code", "200")])), Some(1));
    // A quarter of the series, and the one for what is beyond.
    assert_eq!(seen.series(DURATION), 1 + 10 + 1);
    let overflow = [("otel.metric.overflow", "true"), ("http.request.method", "_OTHER"), ("http.route", "<unmatched>")];
    assert!(count(&overflow).unwrap() > 9_000);
}

#[test]
fn nothing_is_lost_between_threads_and_collections() {
    let reader = Reader::new();
    let requests = requests(&reader, HttpConventions::Stable);
    let attributes = ended(&[("http.response.status_code", "200")]);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..2_000 {
                    let mut request = begin(&requests, GET, Some("/a"));
                    request.respond(200);
                    request.send(1);
                    request.finish();
                }
            });
        }
        scope.spawn(|| {
            let mut last = 0;
            while last < 16_000 {
                let now = reader.collect().histogram(SENT, &attributes).map_or(0, |(count, _)| count);
                assert!((last..=16_000).contains(&now));
                last = now;
            }
        });
    });
    assert_eq!(reader.collect().histogram(SENT, &attributes), Some((16_000, 16_000.0)));
}

#[test]
fn off_means_off() {
    let reader = Reader::new();
    let requests = requests(&reader, HttpConventions::Off);
    let mut request = begin(&requests, GET, Some("/a"));
    assert!(request.receive().is_none() && !request.is_followed());
    request.respond(200);
    request.finish();
    let seen = reader.collect();
    assert_eq!([DURATION, ACTIVE, SENT, RECEIVED].map(|metric| seen.series(metric)), [0; 4]);
    assert_eq!(seen.total("gym.server.responses_total"), 1.0);
}

#[test]
fn a_body_that_outlives_its_request_counts_for_no_other() {
    let reader = Reader::new();
    let requests = requests(&reader, HttpConventions::Stable);
    let mut first = begin(&requests, GET, Some("/a"));
    let late = first.receive().unwrap();
    first.finish();
    let mut second = begin(&requests, GET, Some("/a"));
    let received = second.receive().unwrap();
    late.add(1_000);
    received.add(1);
    drop((late, received));
    second.finish();
    begin(&requests, GET, Some("/a")).receive();
    assert_eq!(reader.collect().total(RECEIVED), 1.0);
}
