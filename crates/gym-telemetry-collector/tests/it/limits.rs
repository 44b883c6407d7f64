//! What is beyond the limits, or contradicts itself, is refused point by point.

use gym_telemetry_collector::{Attributes, Limits, Observer, Store, Update};
use opentelemetry_proto::tonic::metrics::v1::exponential_histogram_data_point::Buckets;
use opentelemetry_proto::tonic::metrics::v1::{self as wire, HistogramDataPoint, Metric, NumberDataPoint, metric};
use proptest::prelude::*;

use crate::support::{
    CUMULATIVE, buckets, counter, double, from_process, gauge, histogram, int, metric as named, pair, sum, text,
};

/// How many points of a metric are refused, and why.
fn refused(metric: Metric) -> (i64, String) {
    let mut store = Store::new(Limits::default());
    let partial = store.apply(from_process(1, vec![metric])).partial_success.expect("something is refused");
    assert_eq!(i64::try_from(store.receipt().malformed).unwrap(), partial.rejected_data_points);
    assert_eq!((store.series(), store.bytes(), store.snapshot().resources().len()), (0, 0, 0));
    (partial.rejected_data_points, partial.error_message)
}

#[test]
fn series_beyond_the_limit_are_refused_and_the_held_ones_go_on() {
    let mut store = Store::new(Limits::default().series(2));
    let point = |time, number, colour| int(time, number, vec![text("colour", colour)]);
    let points = vec![point(1, 1, "red"), point(1, 2, "green"), point(1, 3, "blue"), point(1, 4, "grey")];
    let partial = store.apply(from_process(1, vec![gauge("g", points)])).partial_success.unwrap();
    assert_eq!(partial.rejected_data_points, 2);
    assert_eq!(partial.error_message, r#"2 points refused, "g": the limit of 2 series is reached"#);

    assert!(store.apply(counter(2, 1, 1)).partial_success.is_some());
    assert_eq!(store.apply(from_process(1, vec![gauge("g", vec![point(2, 9, "green")])])).partial_success, None);
    let state = store.snapshot();
    assert_eq!(state.sum("g", |_| true), 10.0);
    assert_eq!(state.resources().len(), 1, "a process without a series is not held");
    assert_eq!((store.receipt().accepted, store.receipt().over_limit), (3, 3));
}

#[test]
fn bytes_beyond_the_limit_are_refused() {
    let mut store = Store::new(Limits::default().bytes(20_000));
    let mut rejected = 0;
    for time in 1..100 {
        let point = int(time, 1, vec![text("id", &"x".repeat(100)), pair("n", int_value(time))]);
        let partial = store.apply(from_process(1, vec![gauge("g", vec![point])])).partial_success;
        rejected += partial.map_or(0, |partial| partial.rejected_data_points);
    }
    assert!(store.bytes() <= 20_000);
    assert!(rejected > 0 && store.series() > 0);
    assert_eq!(u64::try_from(rejected).unwrap() + store.receipt().accepted, 99);
}

fn int_value(number: u64) -> opentelemetry_proto::tonic::common::v1::any_value::Value {
    opentelemetry_proto::tonic::common::v1::any_value::Value::IntValue(i64::try_from(number).unwrap())
}

#[test]
fn a_held_histogram_cannot_grow_beyond_the_limit() {
    let mut store = Store::new(Limits::default().bytes(20_000));
    store.apply(from_process(1, vec![histogram("h", CUMULATIVE, vec![buckets(1, [1, 0, 0], 1.0, vec![])])]));
    let held = store.bytes();
    let vast = HistogramDataPoint {
        time_unix_nano: 2,
        bucket_counts: vec![0; 5001],
        explicit_bounds: (0..5000).map(f64::from).collect(),
        ..HistogramDataPoint::default()
    };
    let partial = store.apply(from_process(1, vec![histogram("h", CUMULATIVE, vec![vast])])).partial_success.unwrap();
    assert_eq!(partial.error_message, r#"1 points refused, "h": the limit of 20000 bytes is reached"#);
    assert_eq!(store.bytes(), held);
    assert_eq!(store.snapshot().histograms("h", |_| ())[&()].count, 1);
}

#[test]
fn every_byte_is_accounted_for_when_points_shrink_and_grow() {
    let mut store = Store::new(Limits::default());
    let mut point = |time, buckets: usize| {
        let bounds = (1..buckets).map(|bound| bound as f64).collect();
        let point = HistogramDataPoint {
            time_unix_nano: time,
            bucket_counts: vec![0; buckets],
            explicit_bounds: bounds,
            ..HistogramDataPoint::default()
        };
        store.apply(from_process(1, vec![histogram("h", CUMULATIVE, vec![point])]));
        store.bytes()
    };
    let small = point(1, 4);
    let large = point(2, 400);
    assert!(large > small + 390 * 16);
    assert_eq!(point(3, 4), small);
}

#[test]
fn points_that_contradict_themselves_are_refused() {
    let blank = NumberDataPoint { value: None, ..int(1, 0, vec![]) };
    assert_eq!(refused(gauge("g", vec![blank])), (1, r#"1 points refused, "g": a point without a number"#.to_owned()));

    let unspecified = sum("s", 0, vec![int(1, 1, vec![]), int(1, 1, vec![])]);
    assert_eq!(refused(unspecified), (2, r#"2 points refused, "s": neither cumulative nor delta"#.to_owned()));
    assert_eq!(refused(sum("s", 77, vec![int(1, 1, vec![])])).0, 1);

    assert!(refused(gauge("", vec![int(1, 1, vec![])])).1.contains("without a name"));
    let without_data = refused(Metric { name: "m".to_owned(), ..Metric::default() });
    assert_eq!(without_data, (0, r#"0 points refused, "m": a metric without data"#.to_owned()));

    let skewed = HistogramDataPoint { explicit_bounds: vec![1.0], ..buckets(1, [1, 2, 3], 6.0, vec![]) };
    assert!(refused(histogram("h", CUMULATIVE, vec![skewed])).1.contains("3 buckets for 1 boundaries"));
    for bounds in [[10.0, 1.0], [1.0, 1.0], [1.0, f64::NAN], [1.0, f64::INFINITY]] {
        let point = HistogramDataPoint { explicit_bounds: bounds.to_vec(), ..buckets(1, [1, 2, 3], 6.0, vec![]) };
        assert!(refused(histogram("h", CUMULATIVE, vec![point])).1.contains("not finite and rising"), "{bounds:?}");
    }

    for (scale, offset) in [(21, 0), (-11, 0), (i32::MIN, 0), (0, i32::MAX)] {
        let positive = Some(Buckets { offset, bucket_counts: vec![1, 1] });
        let point = wire::ExponentialHistogramDataPoint { scale, positive, ..Default::default() };
        let data = wire::ExponentialHistogram { data_points: vec![point], aggregation_temporality: CUMULATIVE };
        let (points, why) = refused(named("e", metric::Data::ExponentialHistogram(data)));
        assert!(points == 1 && why.contains("out of range"), "{why}");
    }
}

#[test]
fn good_points_beside_bad_ones_are_taken_in() {
    let mut store = Store::new(Limits::default().series(1));
    let blank = NumberDataPoint { value: None, ..int(1, 0, vec![]) };
    let points = vec![blank, double(1, f64::NAN, vec![]), int(1, 1, vec![text("one", "too many")])];
    let partial = store.apply(from_process(1, vec![gauge("g", points)])).partial_success.unwrap();
    assert_eq!(partial.rejected_data_points, 2);
    let why =
        r#"1 points refused, "g": the limit of 1 series is reached; 1 points refused, "g": a point without a number"#;
    assert_eq!(partial.error_message, why);
    assert_eq!(store.receipt().accepted, 1);
}

#[test]
fn an_answer_does_not_repeat_a_long_name() {
    let (_, why) = refused(gauge(&"n".repeat(100_000), vec![NumberDataPoint::default()]));
    assert!(why.len() < 200, "{} bytes", why.len());
}

/// Lets go of every process with an odd id.
struct Odd;

impl Observer for Odd {
    fn observe(&mut self, _: &Update<'_>) {}

    fn lets_go(&mut self, process: &Attributes) -> bool {
        process.int("process.pid").is_some_and(|pid| pid % 2 == 1)
    }
}

#[test]
fn processes_that_may_go_make_room_longest_silent_first() {
    let mut store = Store::observed(Limits::default().series(4), (Odd, Odd));
    let pids = |store: &Store| {
        let state = store.snapshot();
        state.resources().map(|resource| resource.attributes().int("process.pid").unwrap()).collect::<Vec<_>>()
    };
    for (pid, time) in [(1, 1), (2, 1), (3, 1), (1, 2), (4, 1), (6, 1)] {
        assert_eq!(store.apply(counter(pid, time, 1)).partial_success, None);
    }
    assert_eq!(pids(&store), [1, 2, 4, 6]);
    assert_eq!(store.apply(counter(3, 2, 1)).partial_success, None, "it is new again");
    assert_eq!(pids(&store), [2, 3, 4, 6]);
    // Nobody makes room for himself, and the even ones stay.
    let more = from_process(3, vec![gauge("g", vec![int(1, 1, vec![])])]);
    assert!(store.apply(more).partial_success.unwrap().error_message.contains("limit of 4 series"));
    assert_eq!((pids(&store), store.series()), (vec![2, 3, 4, 6], 4));
}

#[test]
fn who_makes_room_gives_back_all_bytes() {
    let large = |pid| from_process(pid, vec![gauge("g", vec![int(1, 1, vec![text("a", &"x".repeat(900))])])]);
    let mut store = Store::observed(Limits::default().bytes(8000), Odd);
    store.apply(large(1));
    let one = store.bytes();
    for pid in [3, 5, 7, 9, 11] {
        assert_eq!(store.apply(large(pid)).partial_success, None);
        assert!(store.bytes().is_multiple_of(one) && store.bytes() <= 8000, "{} of {one}", store.bytes());
    }
}

proptest! {
    #[test]
    fn neither_limit_is_ever_exceeded(
        series in 0..20_usize,
        bytes in 0..20_000_usize,
        sent in prop::collection::vec((0..5_i64, "[a-c]{1,3}", "[a-z]{0,40}", 0..3_usize, 1..40_usize), 0..60),
    ) {
        let mut store = Store::new(Limits::default().series(series).bytes(bytes));
        for ((pid, name, attribute, kind, size), time) in sent.into_iter().zip(1..) {
            let attributes = vec![text("a", &attribute)];
            let metric = match kind {
                0 => gauge(&name, vec![int(time, 1, attributes)]),
                1 => sum(&name, 1 + i32::from(size % 2 == 0), vec![int(time, 1, attributes)]),
                _ => histogram(&name, CUMULATIVE, vec![HistogramDataPoint {
                    attributes,
                    time_unix_nano: time,
                    bucket_counts: vec![1; size],
                    explicit_bounds: (1..size).map(|bound| bound as f64).collect(),
                    ..HistogramDataPoint::default()
                }]),
            };
            store.apply(from_process(pid, vec![metric]));
            prop_assert!(store.series() <= series && store.bytes() <= bytes);
        }
        let state = store.snapshot();
        let held: usize = state.resources().flat_map(|r| r.metrics()).map(|m| m.points().len()).sum();
        prop_assert_eq!(held, store.series());
        prop_assert!(state.resources().all(|r| r.metrics().len() > 0));
    }
}
