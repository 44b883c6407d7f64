//! Counters.

use std::time::Duration;

use super::support::{CUMULATIVE, DELTA, Fleet, counter, point, seconds, sum, with};
use crate::history::{Over, QueryError, Select, Settings};

fn fleet() -> Fleet {
    Fleet::new(Settings::new())
}

#[test]
fn the_total_of_a_fleet_is_the_sum_over_its_processes() {
    let mut fleet = fleet();
    for second in [1, 2, 3] {
        fleet.export(second, "a", counter(0, second, 10.0 * second as f64));
        fleet.export(second, "b", counter(0, second, second as f64));
    }
    assert_eq!(fleet.line(seconds("requests", 4)), [Some(0.0), Some(11.0), Some(22.0), Some(33.0)]);
    let each = fleet.lines(seconds("requests", 1).over(Over::Each));
    assert_eq!(each, [("0".to_owned(), vec![Some(30.0)]), ("1".to_owned(), vec![Some(3.0)])].into());
    for (over, value) in [(Over::Min, 3.0), (Over::Median, 16.5), (Over::Max, 30.0)] {
        assert_eq!(fleet.line(seconds("requests", 1).over(over)), [Some(value)]);
    }
}

#[test]
fn what_a_dead_process_counted_stays() {
    let mut fleet = fleet();
    for second in [1, 2] {
        fleet.export(second, "dead", counter(0, second, 100.0));
    }
    for second in 1..=60 {
        fleet.export(second, "alive", counter(0, second, second as f64));
    }
    assert_eq!(fleet.line(seconds("requests", 1)), [Some(160.0)]);
}

#[test]
fn a_restart_under_the_same_name_goes_on() {
    let mut fleet = fleet();
    for (start, second, value) in [(0, 1, 10.0), (0, 2, 20.0), (2, 3, 4.0), (2, 4, 9.0)] {
        fleet.export(second, "a", counter(start, second, value));
    }
    let totals = [Some(10.0), Some(20.0), Some(24.0), Some(29.0)];
    assert_eq!(fleet.line(seconds("requests", 4)), totals);
    assert_eq!(fleet.line(seconds("requests", 4).rate()), [Some(10.0), Some(10.0), Some(4.0), Some(5.0)]);
}

#[test]
fn a_fall_without_a_new_start_is_a_restart() {
    let mut fleet = fleet();
    for (second, value) in [(1, 10.0), (2, 3.0), (3, 5.0)] {
        fleet.export(second, "a", counter(0, second, value));
    }
    assert_eq!(fleet.line(seconds("requests", 3).increase()), [Some(10.0), Some(3.0), Some(2.0)]);
}

#[test]
fn a_later_start_is_a_restart_even_where_the_value_is_higher() {
    let mut fleet = fleet();
    fleet.export(1, "a", counter(0, 1, 10.0));
    fleet.export(5, "a", counter(3, 5, 12.0));
    let increases = [Some(10.0), Some(0.0), Some(0.0), Some(6.0), Some(6.0)];
    assert_eq!(fleet.line(seconds("requests", 5).increase()), increases);
}

#[test]
fn differences_are_added_up() {
    let mut fleet = fleet();
    for second in [1, 2, 3] {
        let difference = point(second - 1, second, 5.0);
        fleet.export(second, "a", vec![sum("requests", DELTA, true, vec![difference])]);
    }
    assert_eq!(fleet.line(seconds("requests", 3)), [Some(5.0), Some(10.0), Some(15.0)]);
    assert_eq!(fleet.line(seconds("requests", 3).rate()), [Some(5.0); 3]);
}

#[test]
fn growth_is_spread_over_the_time_between_exports() {
    let mut fleet = fleet();
    fleet.export(10, "a", counter(10, 10, 0.0));
    fleet.export(15, "a", counter(10, 15, 50.0));
    fleet.export(20, "a", counter(10, 20, 50.0));
    let rates = fleet.line(seconds("requests", 10).rate());
    assert_eq!(rates, [[Some(10.0); 5], [Some(0.0); 5]].concat());
}

#[test]
fn growth_is_shared_out_to_the_steps_that_it_spans() {
    let mut fleet = fleet();
    fleet.export(8, "a", counter(8, 8, 0.0));
    fleet.export(13, "a", counter(8, 13, 50.0));
    let by_ten = seconds("requests", 20).step(Duration::from_secs(10));
    assert_eq!(fleet.line(by_ten.clone().increase()), [Some(10.0), Some(40.0)]);
    assert_eq!(fleet.line(by_ten.rate()), [Some(5.0), Some(10.0)], "of the slots that are known");
}

#[test]
fn the_latest_rate_holds_until_the_process_is_gone() {
    let mut fleet = fleet();
    for second in [1, 2] {
        fleet.export(second, "a", counter(0, second, 3.0 * second as f64));
    }
    fleet.now(10);
    let rates = fleet.line(seconds("requests", 9).rate());
    assert_eq!(rates, [[Some(3.0); 6].as_slice(), &[None; 3]].concat());
    let increases = fleet.line(seconds("requests", 9).increase());
    assert_eq!(increases[1..], [None; 8], "an increase says only what is known");
}

#[test]
fn a_series_that_appears_in_a_known_process_began_at_zero() {
    let mut fleet = fleet();
    let failed = |second, value| {
        sum("rollouts", CUMULATIVE, true, vec![with(point(0, second, value), &[("outcome", "failed")])])
    };
    for second in 100..105 {
        fleet.export(second, "a", counter(0, second, 1.0));
    }
    let mut metrics = counter(0, 105, 1.0);
    metrics.push(failed(105, 1.0));
    fleet.export(105, "a", metrics);
    assert_eq!(fleet.line(seconds("rollouts", 3).increase()), [None, Some(0.0), Some(1.0)]);
}

#[test]
fn what_was_counted_before_anybody_looked_is_no_growth() {
    let mut fleet = fleet();
    fleet.export(1000, "a", counter(0, 1000, 5000.0));
    assert_eq!(fleet.line(seconds("requests", 1).increase()), [Some(0.0)]);
    assert_eq!(fleet.line(seconds("requests", 1)), [Some(5000.0)]);
}

#[test]
fn groups_and_choices_go_by_attributes_of_series_and_processes() {
    let mut fleet = fleet();
    let points = |second| {
        let outcome = |name, value| with(point(0, second, value), &[("outcome", name)]);
        vec![sum("rollouts", CUMULATIVE, true, vec![outcome("scored", 7.0), outcome("failed", 1.0)])]
    };
    fleet.export(1, "a", points(1));
    fleet.export(1, "b", points(1));
    let by = |key| fleet.lines(seconds("rollouts", 1).by(key));
    assert_eq!(by("outcome"), [("failed".to_owned(), vec![Some(2.0)]), ("scored".to_owned(), vec![Some(14.0)])].into());
    assert_eq!(by("service.name"), [("a".to_owned(), vec![Some(8.0)]), ("b".to_owned(), vec![Some(8.0)])].into());
    assert_eq!(by("process").len(), 2);
    assert_eq!(by("absent").into_keys().collect::<Vec<_>>(), [""]);
    let chosen = seconds("rollouts", 1).matching("outcome", "failed").matching("service.name", "b");
    assert_eq!(fleet.line(chosen), [Some(1.0)]);
    assert!(fleet.lines(seconds("rollouts", 1).matching("process", "7")).is_empty());
}

#[test]
fn a_counter_has_no_quantiles() {
    let mut fleet = fleet();
    fleet.export(1, "a", counter(0, 1, 1.0));
    let ask = |select| fleet.history.query(&seconds("requests", 1).select(select)).unwrap_err();
    for select in [Select::Count, Select::Sum, Select::Mean, Select::Quantile(0.5), Select::Buckets] {
        assert!(matches!(ask(select), QueryError::Unsuited { .. }), "{select:?}");
    }
    assert_eq!(ask(Select::Quantile(1.5)).to_string(), "1.5 is not a quantile between 0 and 1");
    let unknown = fleet.history.query(&seconds("absent", 1)).unwrap_err();
    assert_eq!(unknown.to_string(), "no metric is called \"absent\"");
}
