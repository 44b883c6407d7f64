//! What does not fit.

use gym_telemetry_collector::{Limits, Store};

use super::support::{Fleet, gauge, lag, point, request, seconds, with};
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
    let mut fleet = Fleet::new(Settings::new().max_bytes(2000));
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
