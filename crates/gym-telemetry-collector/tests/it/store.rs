//! What is kept of what is sent.

use std::sync::mpsc;

use gym_telemetry_collector::{Change, Data, Kind, Limits, Store, Update};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::metrics::v1::{DataPointFlags, Metric, NumberDataPoint, Sum, metric};

use crate::support::{CUMULATIVE, counter, from_process, gauge, held, int, pair, sum, text};

#[test]
fn a_later_point_replaces_an_earlier_one_but_not_the_other_way_round() {
    let state = held([counter(1, 10, 5), counter(1, 20, 7), counter(1, 15, 6)]);
    assert_eq!(state.sum("requests", |_| true), 7.0);
    assert_eq!(state.series("requests").next().unwrap().point.time_unix_nano, 20);
}

#[test]
fn the_order_of_attributes_does_not_matter_but_their_types_do() {
    let (a, b) = (text("a", "1"), pair("b", Value::BoolValue(true)));
    let state = held([
        from_process(1, vec![gauge("g", vec![int(1, 1, vec![a.clone(), b.clone()])])]),
        from_process(1, vec![gauge("g", vec![int(2, 2, vec![b.clone(), a])])]),
        from_process(1, vec![gauge("g", vec![int(3, 4, vec![pair("a", Value::IntValue(1)), b])])]),
    ]);
    let numbers: Vec<_> = state.series("g").map(|series| series.point.data.clone()).collect();
    assert_eq!(numbers, [Data::Int(4), Data::Int(2)]);
}

#[test]
fn the_order_of_resource_attributes_does_not_matter() {
    let mut reordered = counter(1, 2, 9);
    reordered.resource_metrics[0].resource.as_mut().unwrap().attributes.reverse();
    let state = held([counter(1, 1, 5), reordered]);
    assert_eq!(state.resources().len(), 1);
    assert_eq!(state.sum("requests", |_| true), 9.0);
}

#[test]
fn two_processes_never_mix() {
    let state = held([counter(1, 20, 5), counter(2, 10, 7), counter(1, 30, 6)]);
    let by_process = state.sums("requests", |series| series.resource.attributes().int("process.pid"));
    assert_eq!(by_process, [(Some(1), 6.0), (Some(2), 7.0)].into());
    assert_eq!(state.sum("requests", |_| true), 13.0);
}

#[test]
fn one_name_reported_in_two_ways_is_two_metrics() {
    let up_down =
        Sum { data_points: vec![int(1, 3, vec![])], aggregation_temporality: CUMULATIVE, is_monotonic: false };
    let up_down = crate::support::metric("n", metric::Data::Sum(up_down));
    let other_unit = Metric { unit: "By".to_owned(), ..gauge("n", vec![int(1, 2, vec![])]) };
    let state = held([from_process(1, vec![gauge("n", vec![int(1, 1, vec![])]), other_unit, up_down])]);
    let metrics: Vec<_> = state.series("n").map(|s| (s.metric.key().kind, s.metric.key().unit.clone())).collect();
    assert_eq!(metrics.len(), 3);
    assert!(metrics.contains(&(Kind::Gauge, "1".to_owned())));
    assert!(metrics.contains(&(Kind::Gauge, "By".to_owned())));
    assert_eq!(state.sum("n", |series| series.metric.key().kind != Kind::Gauge), 3.0);
}

#[test]
fn two_scopes_are_two_metrics() {
    let mut other = counter(1, 1, 10);
    other.resource_metrics[0].scope_metrics[0].scope.as_mut().unwrap().name = "another".to_owned();
    let state = held([counter(1, 1, 1), other]);
    let by_scope = state.sums("requests", |series| series.metric.key().scope.name.clone());
    assert_eq!(by_scope, [("another".to_owned(), 10.0), ("gym".to_owned(), 1.0)].into());
}

#[test]
fn a_point_that_says_it_has_no_number_changes_nothing() {
    let blank =
        NumberDataPoint { value: None, flags: DataPointFlags::NoRecordedValueMask as u32, ..int(20, 0, vec![]) };
    let mut store = Store::new(Limits::default());
    store.apply(counter(1, 10, 5));
    let response = store.apply(from_process(1, vec![sum("requests", CUMULATIVE, vec![blank])]));
    assert_eq!(response.partial_success, None);
    assert_eq!(store.snapshot().sum("requests", |_| true), 5.0);
    assert_eq!((store.receipt().accepted, store.receipt().ignored), (1, 1));
}

#[test]
fn a_snapshot_stays_as_it_is() {
    let mut store = Store::new(Limits::default());
    store.apply(counter(1, 10, 5));
    let before = store.snapshot();
    store.apply(counter(1, 20, 7));
    store.apply(counter(2, 20, 7));
    assert_eq!(before.sum("requests", |_| true), 5.0);
    assert_eq!(store.snapshot().sum("requests", |_| true), 14.0);
}

#[test]
fn a_process_without_points_is_not_held() {
    let state = held([
        from_process(1, vec![]),
        from_process(2, vec![gauge("empty", vec![])]),
        ExportMetricsServiceRequest::default(),
    ]);
    assert_eq!(state.resources().len(), 0);
}

#[test]
fn an_observer_sees_what_is_held_and_how_it_came_to_be() {
    let (seen, updates) = mpsc::channel();
    let mut store = Store::observed(Limits::default(), move |update: &Update<'_>| {
        let pid = update.resource.int("process.pid");
        let _ = seen.send((update.series, pid, update.metric.name.clone(), update.point.data.number(), update.change));
    });
    store.apply(counter(1, 10, 5));
    store.apply(counter(2, 10, 50));
    store.apply(counter(1, 20, 7));
    store.apply(counter(1, 15, 6));
    let mut restarted = int(30, 1, vec![]);
    restarted.start_time_unix_nano = 25;
    store.apply(from_process(1, vec![sum("requests", CUMULATIVE, vec![restarted])]));

    let updates: Vec<_> = updates.try_iter().collect();
    let changes: Vec<_> = updates.iter().map(|(_, pid, _, number, change)| (*pid, *number, *change)).collect();
    let expected = [
        (Some(1), Some(5.0), Change::New),
        (Some(2), Some(50.0), Change::New),
        (Some(1), Some(7.0), Change::Continued),
        (Some(1), Some(1.0), Change::Restarted),
    ];
    assert_eq!(changes, expected);
    assert!(updates.iter().all(|(.., name, _, _)| name == "requests"));
    let ids: Vec<_> = updates.iter().map(|update| update.0).collect();
    assert!(ids[0] == ids[2] && ids[0] == ids[3] && ids[0] != ids[1], "{ids:?}");
}
