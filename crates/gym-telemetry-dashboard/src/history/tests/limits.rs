//! What does not fit.

use gym_telemetry_collector::{Limits, SeriesId, Store};
use opentelemetry_proto::tonic::metrics::v1::{Histogram, HistogramDataPoint, Metric, metric};

use super::support::{
    CUMULATIVE, Fleet, gauge, lag, metric as named_metric, nanos, pairs, point, request, seconds, sum, with,
};
use crate::history::series::Series;
use crate::history::state::Place;
use crate::history::{History, Settings};

#[test]
fn series_beyond_the_limit_are_refused_and_counted() {
    let mut fleet = Fleet::new(Settings::new().max_series(2));
    let points = ["x", "y", "z"].map(|name| with(point(0, 1, 1.0), &[("a", name)]));
    fleet.export(1, "a", vec![gauge("lag", points.to_vec())]);
    let refused = fleet.history.refused();
    assert_eq!((refused.over_limit, refused.malformed), (1, 0));
    assert!(refused.reason.contains("limit of 2 series"), "{}", refused.reason);
    assert_eq!(fleet.lines(seconds("lag", 1)).len(), 2);
}

#[test]
fn a_history_has_its_own_limit() {
    let history = History::new(Settings::new().max_series(1));
    let mut store = Store::observed(Limits::default(), history.observer());
    store.apply(request("a", lag(1, 1.0)));
    store.apply(request("b", lag(1, 1.0)));
    store.apply(request("b", lag(2, 1.0)));
    assert_eq!((history.refused().over_limit, history.metrics()[0].series), (2, 1));
}

#[test]
fn beyond_the_bytes_the_oldest_goes_first() {
    let mut fleet = Fleet::new(Settings::new().max_bytes(1000));
    for second in 1..=1000 {
        fleet.export(second, "a", lag(second, second as f64 * 0.7));
    }
    let refused = fleet.history.refused();
    assert!(refused.shortened > 0, "{refused:?}");
    let values = fleet.line(seconds("lag", 1000));
    assert!(values[0].is_none());
    assert!((values[999].unwrap() - 700.0).abs() < 0.01);
}

#[test]
fn no_room_at_all_refuses_points() {
    let mut fleet = Fleet::new(Settings::new().max_bytes(0));
    for second in 1..=3 {
        fleet.export(second, "a", lag(second, 1.0));
        fleet.export(second, "b", lag(second, 1.0));
    }
    assert!(fleet.history.refused().over_limit > 0);
}

/// What one process of a large fleet says at a second: of 50 series, 30 count, 12 are gauges, 8 are histograms.
fn large(second: u64) -> Vec<Metric> {
    let number = |at: u64| point(0, second, (if at.is_multiple_of(4) { 7 } else { second * (at % 50) }) as f64);
    let named = |at: u64, point| with(point, &[("http.route", "/run"), ("index", &at.to_string())]);
    // Half of them are no whole numbers.
    let level = |at: u64| {
        let ratio = ((second * 7919 + at) % 10_007) as f64 / 10_007.0;
        point(0, second, if at.is_multiple_of(2) { ratio } else { (1_000_000 + (second * 37 + at) % 501) as f64 })
    };
    let histogram = |at: u64| {
        // Three values a second, in buckets that move.
        let bucket_counts: Vec<_> = (0..16).map(|bucket| (second * 3 + bucket * 5 + at) / 16).collect();
        HistogramDataPoint {
            attributes: pairs(&[("http.route", "/run"), ("index", &at.to_string())]),
            start_time_unix_nano: nanos(0),
            time_unix_nano: nanos(second),
            count: bucket_counts.iter().sum(),
            sum: Some(second as f64 * 12.7),
            bucket_counts,
            explicit_bounds: (1..16).map(|bound| f64::from(bound * bound)).collect(),
            ..HistogramDataPoint::default()
        }
    };
    let histograms = Histogram { data_points: (0..8).map(histogram).collect(), aggregation_temporality: CUMULATIVE };
    vec![
        sum("counter", CUMULATIVE, true, (0..30).map(|at| named(at, number(at))).collect()),
        gauge("gauge", (0..12).map(|at| named(at, level(at))).collect()),
        named_metric("histogram", metric::Data::Histogram(histograms)),
    ]
}

#[test]
fn a_hundred_thousand_series_take_less_than_500_mb() {
    const OF_ALL: usize = 100_000 / 50;
    // Of each series: what the allocator adds to its blocks, as `examples/load` shows, and the room that those have
    // which are being written to.
    const ALLOCATED: usize = 1200;
    let mut fleet = Fleet::new(Settings::new());
    (1..=600).for_each(|second| fleet.export(second, "a", large(second)));
    let (state, past) = fleet.held();
    let beside = 50 * (size_of::<Series>() + size_of::<(SeriesId, Option<Place>)>() + ALLOCATED);
    let most = Settings::new().max_bytes + OF_ALL * (state + beside);
    assert!(most < 500_000_000, "{past} of the past, {state} of the state, {beside} beside: {most}");
}
