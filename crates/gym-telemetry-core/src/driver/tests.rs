use std::time::Duration;

use crate::testing::Reader;

use super::*;

#[test]
fn reports_nothing_before_the_first_offer_and_zero_after_the_last_end() {
    let reader = Reader::new();
    let driver = DriverMetrics::new(&reader.meter());
    assert!(reader.collect().is_empty());

    let rollout = driver.offer();
    let running = driver.admitted(Duration::from_millis(5));
    let seen = reader.collect();
    assert_eq!(seen.value("gym.driver.rollouts.resident", &[]), Some(1.0));
    assert_eq!(seen.value("gym.driver.rollouts.active", &[]), Some(1.0));

    drop((rollout, running));
    let seen = reader.collect();
    assert_eq!(seen.value("gym.driver.rollouts.offered_total", &[]), Some(1.0));
    assert_eq!(seen.value("gym.driver.rollouts.resident", &[]), Some(0.0));
    assert_eq!(seen.value("gym.driver.rollouts.active", &[]), Some(0.0));
    assert_eq!(seen.histogram("gym.driver.admission_duration_ms", &[]), Some((1, 5.0)));
}

#[test]
fn sizes_are_samples_and_turns_only_where_they_are_known() {
    let reader = Reader::new();
    let driver = DriverMetrics::new(&reader.meter());
    driver.rollout_completed(RolloutSize::new(2, 7, 3));
    driver.rollout_completed(RolloutSize::new(1, 1, 0).turns(4));
    driver.output_written(Duration::from_micros(250), 1_500);
    driver.materialized(Duration::from_secs(2));
    let seen = reader.collect();
    assert_eq!(seen.histogram("gym.driver.rollout.input_items", &[]), Some((2, 3.0)));
    assert_eq!(seen.histogram("gym.driver.rollout.output_items", &[]), Some((2, 8.0)));
    assert_eq!(seen.histogram("gym.driver.rollout.tool_calls", &[]), Some((2, 3.0)));
    assert_eq!(seen.histogram("gym.driver.rollout.turns", &[]), Some((1, 4.0)));
    assert_eq!(seen.histogram("gym.driver.output_write_bytes", &[]), Some((1, 1_500.0)));
    assert_eq!(seen.histogram("gym.driver.output_write_duration_ms", &[]), Some((1, 0.25)));
    assert_eq!(seen.histogram("gym.driver.materialize_duration_ms", &[]), Some((1, 2_000.0)));
}

#[test]
fn a_dropped_recorder_reports_no_more_and_a_new_one_starts_over() {
    let reader = Reader::new();
    let first = DriverMetrics::new(&reader.meter());
    let rollout = first.offer();
    drop(first);
    assert_eq!(reader.collect().value("gym.driver.rollouts.offered_total", &[]), None);
    drop(rollout);

    let second = DriverMetrics::new(&reader.meter());
    drop(second.offer());
    assert_eq!(reader.collect().value("gym.driver.rollouts.offered_total", &[]), Some(1.0));
}

#[test]
fn two_recorders_on_two_meters_do_not_disturb_each_other() {
    let (left, right) = (Reader::new(), Reader::new());
    let (one, two) = (DriverMetrics::new(&left.meter()), DriverMetrics::new(&right.meter()));
    drop(one.offer());
    (0..3).for_each(|_| drop(two.offer()));
    assert_eq!(left.collect().value("gym.driver.rollouts.offered_total", &[]), Some(1.0));
    assert_eq!(right.collect().value("gym.driver.rollouts.offered_total", &[]), Some(3.0));
}
