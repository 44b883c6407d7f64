//! Processes that are gone, and what remains of them.

use std::time::Duration;

use super::support::{Fleet, counter, lag, seconds};
use crate::history::{Query, Settings};

fn short() -> Settings {
    Settings::new().retention(Duration::from_secs(60))
}

/// A process exports this from one second to another.
fn exports(
    fleet: &mut Fleet,
    range: std::ops::Range<u64>,
    process: &str,
    metrics: impl Fn(u64) -> Vec<opentelemetry_proto::tonic::metrics::v1::Metric>,
) {
    range.for_each(|second| fleet.export(second, process, metrics(second)));
}

fn total(fleet: &Fleet, query: Query) -> Option<f64> {
    fleet.line(query).last().copied().flatten()
}

#[test]
fn a_process_that_has_long_been_gone_is_forgotten_and_its_count_is_not() {
    let mut fleet = Fleet::new(short());
    exports(&mut fleet, 1..5, "a", |second| [counter(0, second, second as f64), lag(second, 1.0)].concat());
    exports(&mut fleet, 1..63, "b", |second| counter(0, second, 10.0));
    assert_eq!(fleet.history.processes().len(), 2, "its past is still seen");
    exports(&mut fleet, 63..100, "b", |second| counter(0, second, 10.0));

    let left: Vec<_> = fleet.history.processes().into_iter().map(|process| process.resource).collect();
    assert_eq!(left.iter().map(|left| left.str("service.name")).collect::<Vec<_>>(), [Some("b")]);
    let metrics: Vec<_> =
        fleet.history.metrics().into_iter().map(|info| (info.name.to_string(), info.series)).collect();
    assert_eq!(metrics, [("requests".to_owned(), 1)]);
    assert_eq!(total(&fleet, seconds("requests", 30)), Some(14.0));
    assert_eq!(total(&fleet, seconds("requests", 30).matching("service.name", "a")), Some(4.0));
    let rate = fleet.line(seconds("requests", 30).rate());
    assert!(rate.iter().flatten().all(|rate| *rate == 0.0), "{rate:?}");
}

#[test]
fn who_comes_back_is_not_counted_twice() {
    let mut fleet = Fleet::new(short());
    exports(&mut fleet, 1..5, "a", |second| counter(0, second, second as f64));
    exports(&mut fleet, 1..100, "b", |second| counter(0, second, 10.0));
    exports(&mut fleet, 100..103, "a", |second| counter(0, second, 9.0));
    assert_eq!(total(&fleet, seconds("requests", 30)), Some(19.0));
    assert_eq!(fleet.history.processes().len(), 2);
}

#[test]
fn at_the_limit_the_longest_gone_goes_first() {
    let mut fleet = Fleet::new(short().max_series(2));
    exports(&mut fleet, 1..5, "a", |second| counter(0, second, 1.0));
    exports(&mut fleet, 1..15, "b", |second| counter(0, second, 2.0));
    exports(&mut fleet, 30..33, "c", |second| counter(29, second, 4.0));
    let names: Vec<_> = fleet.history.processes().into_iter().map(|process| process.id.to_string()).collect();
    assert_eq!((names, fleet.history.refused().over_limit), (vec!["1".to_owned(), "2".to_owned()], 0));
    assert_eq!(total(&fleet, seconds("requests", 3)), Some(7.0));
}

#[test]
fn nobody_who_reports_makes_room() {
    let mut fleet = Fleet::new(short().max_series(2));
    for second in 1..10 {
        for process in ["a", "b", "c"] {
            fleet.export(second, process, counter(0, second, 1.0));
        }
    }
    assert_eq!((fleet.history.processes().len(), fleet.history.refused().over_limit), (2, 9));
}

#[test]
fn ever_new_processes_leave_one_total() {
    let mut fleet = Fleet::new(Settings::new().max_series(3).gone_after(1));
    for life in 0..50 {
        let at = life * 400;
        exports(&mut fleet, at + 1..at + 3, &format!("life {life}"), |second| counter(at, second, 1.0));
    }
    assert_eq!(fleet.history.refused().over_limit, 0);
    assert_eq!(total(&fleet, seconds("requests", 3)), Some(50.0));
    assert!(fleet.history.processes().len() <= 3);
}
