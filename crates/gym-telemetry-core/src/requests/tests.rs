use std::thread;

use gym_telemetry_conventions::{RequestPhase, attributes::UNMATCHED_ROUTE};
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use proptest::prelude::*;

use super::*;

fn requests() -> RequestMetrics {
    RequestMetrics::new(&SdkMeterProvider::builder().build().meter("test"))
}

#[derive(Debug, Clone, Copy)]
enum End {
    Finish,
    Cancel(bool),
    Fail,
    Drop,
    Stay,
}

fn end() -> impl Strategy<Value = End> {
    let cancel = any::<bool>().prop_map(End::Cancel);
    prop_oneof![Just(End::Finish), cancel, Just(End::Fail), Just(End::Drop), Just(End::Stay)]
}

proptest! {
    /// The law holds after every step, whatever requests do.
    #[test]
    fn the_law_holds(steps in prop::collection::vec((prop::option::of(100_u16..=999), end()), 0..40)) {
        let requests = requests();
        let recorder = requests.recorder();
        let mut open = Vec::new();
        for (status, end) in steps {
            let mut request = recorder.begin();
            status.into_iter().for_each(|status| request.respond(status));
            match end {
                End::Finish if status.is_some() => request.finish(),
                End::Cancel(matched) => {
                    matched.then(|| request.set_route("/items/{id}"));
                    request.cancel();
                }
                End::Fail => request.fail(),
                End::Finish | End::Drop => drop(request),
                End::Stay => open.push(request),
            }
            let seen = requests.snapshot();
            prop_assert_eq!(seen.in_flight, open.len() as u64);
            let waiting = open.iter().filter(|open| open.phase() == RequestPhase::BeforeResponseStart).count() as u64;
            let before = seen.cancelled_in(RequestPhase::BeforeResponseStart);
            prop_assert_eq!(seen.received, seen.responses_total() + before + seen.unhandled + waiting);
            let broken = seen.cancelled_in(RequestPhase::ResponseStarted) + seen.body_failed;
            prop_assert!(broken <= seen.responses_total());
        }
    }
}

#[test]
fn ends_on_other_threads_are_never_seen_before_their_beginnings() {
    let requests = requests();
    thread::scope(|scope| {
        for _ in 0..2 {
            let recorder = requests.recorder();
            let (send, receive) = std::sync::mpsc::sync_channel::<RequestInFlight>(64);
            scope.spawn(move || (0..20_000).for_each(|_| send.send(recorder.begin()).unwrap()));
            scope.spawn(move || {
                receive.into_iter().for_each(|mut request| {
                    request.respond(200);
                    request.finish();
                });
            });
        }
        scope.spawn(|| {
            while requests.snapshot().responses_total() < 40_000 {
                let seen = requests.snapshot();
                assert!(seen.responses_total() <= seen.received && seen.in_flight <= seen.received);
                assert!(seen.in_flight <= 2 * 66 + 40_000 - seen.responses_total());
            }
        });
    });
    assert_eq!(requests.snapshot().in_flight, 0);
}

#[test]
fn routes_beyond_the_limit_count_as_unmatched() {
    let requests = RequestMetrics::with_settings(
        &SdkMeterProvider::builder().build().meter("test"),
        RequestSettings::default().route_limit(1),
    );
    for route in ["/a", "/b", "/c", "/a"] {
        let mut request = requests.recorder().begin();
        request.set_route(route);
        request.cancel();
    }
    let cancelled: Vec<_> = requests.snapshot().cancelled.into_iter().map(|entry| (entry.route, entry.count)).collect();
    assert_eq!(cancelled, [("/a".to_owned(), 2), ("<unmatched>".to_owned(), 2)]);
}

#[test]
fn a_request_outlives_its_recorder() {
    let recorder = requests().recorder().with_context("context");
    let mut request = recorder.begin();
    request.set_route("/a");
    assert_eq!((request.route(), request.context()), ("/a", Some(&"context")));
    let cancelled = request.cancel().unwrap();
    assert_eq!((cancelled.route(), cancelled.context(), cancelled.nth()), ("/a", &"context", 1));
}

#[test]
fn a_request_takes_the_place_of_one_that_ended() {
    let (one, other) = (requests(), requests());
    let mut place = one.recorder().begin();
    place.set_route("/a");
    place.respond(200);
    place.finish();
    // What comes after the end counts nowhere.
    place.respond(500);
    place.follow(|| unreachable!("nobody follows what has ended"));

    one.recorder().begin_in(&mut place);
    assert_eq!((place.route(), place.phase()), (UNMATCHED_ROUTE, RequestPhase::BeforeResponseStart));
    let seen = one.snapshot();
    assert_eq!((seen.received, seen.in_flight, seen.responses_total()), (2, 1, 1));

    other.recorder().begin_in(&mut place);
    let seen = one.snapshot();
    assert_eq!((seen.in_flight, seen.cancelled_in(RequestPhase::BeforeResponseStart)), (0, 1));
    assert_eq!(other.snapshot().in_flight, 1);

    RequestRecorder::disabled().begin_in(&mut place);
    assert!(place.has_ended());
    assert_eq!(other.snapshot().in_flight, 0);
}

#[test]
fn a_place_may_be_used_on_another_thread() {
    let requests = requests();
    let recorder = requests.recorder();
    thread::scope(|scope| {
        for _ in 0..8 {
            let recorder = &recorder;
            let mut place = recorder.begin();
            place.finish();
            scope.spawn(move || {
                for _ in 0..100 {
                    recorder.begin_in(&mut place);
                    place.respond(200);
                    place.finish();
                }
            });
        }
    });
    let seen = requests.snapshot();
    assert_eq!((seen.received, seen.in_flight, seen.responses_total()), (808, 0, 800));
}
