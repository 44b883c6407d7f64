//! Gauges and up-down counters.

use super::support::{Fleet, gauge, lag, point, seconds, updown, with};
use crate::history::{Over, QueryError, Settings};

#[test]
fn gauges_stay_apart_and_have_a_spread() {
    let mut fleet = Fleet::new(Settings::new());
    for (process, value) in [("a", 1.0), ("b", 5.0), ("c", 2.0)] {
        fleet.export(1, process, lag(1, value));
    }
    let each = fleet.lines(seconds("lag", 1));
    assert_eq!(each.into_values().collect::<Vec<_>>(), [[Some(1.0)], [Some(5.0)], [Some(2.0)]]);
    for (over, value) in [(Over::Min, 1.0), (Over::Median, 2.0), (Over::Max, 5.0), (Over::Sum, 8.0)] {
        assert_eq!(fleet.line(seconds("lag", 1).over(over)), [Some(value)]);
    }
}

#[test]
fn gauges_of_one_process_stay_apart_as_well() {
    let mut fleet = Fleet::new(Settings::new());
    let at = |name, value| with(point(0, 1, value), &[("runtime", name)]);
    fleet.export(1, "a", vec![gauge("lag", vec![at("x", 1.0), at("y", 3.0)])]);
    let each = fleet.lines(seconds("lag", 1));
    assert_eq!(each, [("0 x".to_owned(), vec![Some(1.0)]), ("0 y".to_owned(), vec![Some(3.0)])].into());
    assert_eq!(fleet.line(seconds("lag", 1).over(Over::Max)), [Some(3.0)]);
}

#[test]
fn the_last_value_of_a_dead_process_leaves_the_sum() {
    let mut fleet = Fleet::new(Settings::new().gone_after(3));
    for second in 1..=10 {
        fleet.export(second, "alive", updown(second, 2.0));
        if second <= 3 {
            fleet.export(second, "dead", updown(second, 40.0));
        }
    }
    let sums = fleet.line(seconds("in_flight", 10));
    assert_eq!(sums, [[Some(42.0); 6].as_slice(), &[Some(2.0); 4]].concat());
}

#[test]
fn a_known_end_counts_at_once() {
    let mut fleet = Fleet::new(Settings::new());
    for second in 1..=4 {
        fleet.export(second, "a", updown(second, 3.0));
    }
    let process = fleet.history.processes()[0].id;
    fleet.history.end(process);
    fleet.now(5);
    assert_eq!(fleet.line(seconds("in_flight", 3)), [Some(3.0), Some(3.0), None]);
    fleet.export(6, "a", updown(6, 1.0));
    assert_eq!(fleet.line(seconds("in_flight", 1)), [Some(1.0)], "another export revives it");
}

#[test]
fn a_series_that_its_process_no_longer_reports_is_over() {
    let mut fleet = Fleet::new(Settings::new().gone_after(2));
    for second in 1..=9 {
        let mut metrics = updown(second, 1.0);
        if second <= 2 {
            metrics.extend(lag(second, 9.0));
        }
        fleet.export(second, "a", metrics);
    }
    assert_eq!(fleet.line(seconds("lag", 9)), [[Some(9.0); 4].as_slice(), &[None; 5]].concat());
}

#[test]
fn a_value_holds_to_the_end_of_a_step_that_is_not_over() {
    let mut fleet = Fleet::new(Settings::new());
    for second in 1..=3 {
        fleet.export(second, "a", lag(second, 4.0));
    }
    let minute = seconds("lag", 60).step(std::time::Duration::from_secs(60));
    assert_eq!(fleet.line(minute), [Some(4.0)]);
}

#[test]
fn what_is_no_number_leaves_a_gap() {
    let mut fleet = Fleet::new(Settings::new().gone_after(1));
    for (second, value) in [(1, 1.0), (2, f64::NAN), (3, f64::INFINITY), (4, 2.0)] {
        fleet.export(second, "a", lag(second, value));
    }
    assert_eq!(fleet.line(seconds("lag", 4)), [Some(1.0), Some(1.0), None, Some(2.0)]);
}

#[test]
fn a_gauge_has_no_rate() {
    let mut fleet = Fleet::new(Settings::new());
    fleet.export(1, "a", lag(1, 1.0));
    let error = fleet.history.query(&seconds("lag", 1).rate()).unwrap_err();
    assert!(matches!(error, QueryError::Unsuited { .. }), "{error}");
    assert_eq!(error.to_string(), "Rate cannot be taken of a Gauge");
}
