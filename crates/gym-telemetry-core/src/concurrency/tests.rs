use std::thread;

use proptest::prelude::*;

use super::*;
use crate::testing::{Collected, Reader};

const GAUGES: [&str; 4] = ["limit", "active", "available", "queue_depth"];

fn attributes<'a>(limit: &'a str, server: Option<&'a str>) -> Vec<(&'static str, &'a str)> {
    let mut all = vec![("nemo.gym.concurrency.component", "verifier"), ("nemo.gym.concurrency.limit_name", limit)];
    all.extend(server.map(|server| ("nemo.gym.server.name", server)));
    all
}

fn gauges(seen: &Collected, limit: &str, server: Option<&str>) -> [Option<f64>; 4] {
    GAUGES.map(|gauge| seen.value(&format!("gym.concurrency.{gauge}"), &attributes(limit, server)))
}

#[test]
fn limits_of_one_name_are_summed_and_end_with_their_recorders() {
    let reader = Reader::new();
    let concurrency = ConcurrencyMetrics::new(&reader.meter());
    assert!(reader.collect().is_empty());

    let name = LimitName::new("verifier", "slots");
    let (one, two) = (concurrency.limit(name), concurrency.limit(name));
    let elsewhere = concurrency.limit(name.server("math"));
    one.set(LimitState::new(4, 4, 3));
    two.set(LimitState::new(2, 1, 0));
    elsewhere.set(LimitState::new(1, 0, 0));
    let seen = reader.collect();
    assert_eq!(gauges(&seen, "slots", None), [6.0, 5.0, 1.0, 3.0].map(Some));
    assert_eq!(gauges(&seen, "slots", Some("math")), [1.0, 0.0, 1.0, 0.0].map(Some));

    one.set(LimitState::new(1, 4, 3));
    drop(two);
    assert_eq!(gauges(&reader.collect(), "slots", None), [1.0, 4.0, 0.0, 3.0].map(Some));
    drop(one);
    let seen = reader.collect();
    assert_eq!(gauges(&seen, "slots", None), [None; 4]);
    assert_eq!(seen.series("gym.concurrency.limit"), 1);
}

#[test]
fn timeouts_are_counted_only_where_there_is_one_and_outlive_their_limit() {
    let reader = Reader::new();
    let concurrency = ConcurrencyMetrics::new(&reader.meter());
    let patient = concurrency.limit(LimitName::new("verifier", "patient"));
    let hasty = concurrency.limit(LimitName::new("verifier", "hasty"));
    hasty.expect_timeouts();
    patient.cancelled();
    let timeouts = "gym.concurrency.admission_timeouts_total";
    assert_eq!(reader.collect().value(timeouts, &attributes("hasty", None)), Some(0.0));

    (0..3).for_each(|_| hasty.timed_out());
    drop((patient, hasty));
    let seen = reader.collect();
    assert_eq!(seen.value(timeouts, &attributes("hasty", None)), Some(3.0));
    assert_eq!(seen.value(timeouts, &attributes("patient", None)), None);
    let cancelled = "gym.concurrency.admission_cancelled_total";
    assert_eq!(seen.value(cancelled, &attributes("patient", None)), Some(1.0));
    assert_eq!(seen.value(cancelled, &attributes("hasty", None)), Some(0.0));
}

#[test]
fn the_gauges_of_one_export_are_of_one_moment() {
    let reader = Reader::new();
    let concurrency = ConcurrencyMetrics::new(&reader.meter());
    let limit = concurrency.limit(LimitName::new("verifier", "slots"));
    limit.set(LimitState::new(100, 0, 0));
    thread::scope(|scope| {
        let moves = scope.spawn(|| {
            for active in (0..=100).cycle().take(5_000_000) {
                limit.set(LimitState::new(100, active, 0));
            }
        });
        while !moves.is_finished() {
            let [limit, active, available, _] = gauges(&reader.collect(), "slots", None).map(Option::unwrap);
            assert_eq!(available, limit - active);
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    /// Whatever limits are called, their series are bounded and their slots are all there.
    #[test]
    fn names_are_bounded(names in prop::collection::vec((".*", prop::option::of(".*"), 0_u64..100), 1..200)) {
        let reader = Reader::new();
        let concurrency = ConcurrencyMetrics::with_name_limit(&reader.meter(), 20);
        let limits: Vec<_> = names.iter().map(|(text, server, slots)| {
            let name = LimitName::new(text, text);
            let limit = concurrency.limit(server.as_deref().map_or(name, |server| name.server(server)));
            limit.set(LimitState::new(*slots, 0, 0));
            limit
        }).collect();
        let seen = reader.collect();
        prop_assert!(seen.series("gym.concurrency.limit") <= 21);
        prop_assert_eq!(seen.total("gym.concurrency.limit"), names.iter().map(|(.., slots)| *slots as f64).sum::<f64>());
        drop(limits);
        prop_assert_eq!(reader.collect().series("gym.concurrency.limit"), 0);
    }
}
