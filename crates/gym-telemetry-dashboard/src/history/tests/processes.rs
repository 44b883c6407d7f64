//! Who reports, and what.

use gym_telemetry_collector::Kind;

use super::support::{Fleet, counter, gauge, lag, point, seconds, with};
use crate::history::{ProcessState, Settings};

#[test]
fn a_process_that_says_nothing_is_gone() {
    let mut fleet = Fleet::new(Settings::new());
    for second in [1, 3, 5] {
        fleet.export(second, "a", lag(second, 0.0));
    }
    let state = |second| {
        fleet.now(second);
        fleet.history.processes()[0].state
    };
    assert_eq!((state(15), state(16)), (ProcessState::Reporting, ProcessState::Gone));
}

#[test]
fn processes_are_told_apart_by_their_attributes_alone() {
    let mut fleet = Fleet::new(Settings::new());
    fleet.export(1, "a", lag(1, 0.0));
    fleet.export(2, "b", lag(2, 0.0));
    fleet.export(3, "a", lag(3, 0.0));
    let processes = fleet.history.processes();
    let names = processes.iter().map(|process| process.resource.str("service.name").unwrap());
    assert_eq!(names.collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(processes[0].last_seen - processes[0].first_seen, 2000);
    assert_eq!(processes[1].id.to_string(), "1");
}

#[test]
fn two_with_the_same_attributes_are_noticed() {
    let mut fleet = Fleet::new(Settings::new());
    let mixed = |fleet: &Fleet| fleet.history.processes()[0].mixed;
    // It begins anew, which is not what is meant.
    for (start, second) in [(0, 2), (0, 3), (4, 5), (4, 6)] {
        fleet.export(second, "twin", counter(start, second, 7.0));
    }
    assert_eq!(mixed(&fleet), None);
    fleet.export(7, "twin", counter(1, 7, 9.0));
    assert_eq!(mixed(&fleet), Some(fleet.history.now()));
}

#[test]
fn metrics_that_share_a_name_are_not_mixed() {
    let mut fleet = Fleet::new(Settings::new());
    let named = |mut metrics: Vec<opentelemetry_proto::tonic::metrics::v1::Metric>| {
        metrics.iter_mut().for_each(|metric| metric.name = "x".to_owned());
        metrics
    };
    fleet.export(1, "a", named(lag(1, 3.0)));
    fleet.export(1, "b", named(counter(0, 1, 4.0)));
    let kinds: Vec<_> = fleet.history.metrics().into_iter().map(|metric| metric.kind).collect();
    assert_eq!((kinds.len(), kinds[0]), (2, Kind::Gauge));
    assert_eq!(fleet.line(seconds("x", 1).kind(kinds[0])), [Some(3.0)]);
    assert_eq!(fleet.line(seconds("x", 1).kind(kinds[1])), [Some(4.0)]);
}

#[test]
fn metrics_say_what_they_are() {
    let mut fleet = Fleet::new(Settings::new());
    let mut metric = gauge("lag", vec![with(point(0, 1, 1.0), &[("b", "1"), ("a", "2")]), with(point(0, 1, 1.0), &[])]);
    metric.description = "How late".to_owned();
    metric.unit = "ms".to_owned();
    fleet.export(1, "a", vec![metric]);
    let info = &fleet.history.metrics()[0];
    assert_eq!((&*info.name, &*info.unit, &*info.description), ("lag", "ms", "How late"));
    assert_eq!((info.attributes.as_slice(), info.series), (["a".to_owned(), "b".to_owned()].as_slice(), 2));
}

#[test]
fn the_revision_moves_with_each_export() {
    let mut fleet = Fleet::new(Settings::new());
    let revision = fleet.history.revision();
    fleet.export(1, "a", lag(1, 0.0));
    assert!(revision.has_changed().unwrap());
    assert_eq!(*revision.borrow(), 1);
}

#[test]
fn clocks_that_differ_do_not_matter() {
    let mut fleet = Fleet::new(Settings::new());
    fleet.export(1000, "slow", lag(10, 1.0));
    fleet.export(1000, "fast", lag(5000, 2.0));
    assert_eq!(fleet.lines(seconds("lag", 1)).len(), 2);
    assert!(fleet.lines(seconds("lag", 1)).values().all(|values| values[0].is_some()));
}
