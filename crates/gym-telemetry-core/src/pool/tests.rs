use gym_telemetry_conventions::{ConnectOutcome, QueueConstraint, QueueOutcome};
use proptest::{prelude::*, sample::select};

use super::*;
use crate::testing::{Collected, Reader};

const DESTINATION: &str = "nemo.gym.http.destination.server.name";

fn attempts(seen: &Collected, destination: &str) -> Option<f64> {
    seen.value("gym.http.connection_pool.connect_total", &[(DESTINATION, destination)])
}

fn waits(seen: &Collected, destination: &str, constraint: QueueConstraint, outcome: QueueOutcome) -> u64 {
    let attributes = [
        ("nemo.gym.http.connection_pool.queue_constraint", constraint.as_str()),
        ("nemo.gym.http.connection_pool.queue_outcome", outcome.as_str()),
        (DESTINATION, destination),
    ];
    seen.histogram("gym.http.connection_pool.queue_duration_ms", &attributes).map_or(0, |seen| seen.0)
}

fn connects(seen: &Collected, destination: &str, outcome: ConnectOutcome) -> u64 {
    let attributes = [("nemo.gym.http.connection_pool.connect_outcome", outcome.as_str()), (DESTINATION, destination)];
    seen.histogram("gym.http.connection_pool.connect_duration_ms", &attributes).map_or(0, |seen| seen.0)
}

#[test]
fn calls_are_in_flight_until_their_guard_is_dropped_and_zero_is_reported_after() {
    let reader = Reader::new();
    let pool = PoolMetrics::new(&reader.meter());
    let in_flight = || reader.collect().value("gym.http.client.requests.in_flight", &[]);
    let recorder = pool.recorder();
    let calls = [recorder.begin(), recorder.clone().begin()];
    assert_eq!((in_flight(), pool.in_flight()), (Some(2.0), 2));
    drop(calls);
    assert_eq!((in_flight(), pool.in_flight()), (Some(0.0), 0));
    assert!(pool.destinations().is_empty());
}

#[test]
fn totals_outlive_the_clients_that_counted() {
    let reader = Reader::new();
    let pool = PoolMetrics::new(&reader.meter());
    for _ in 0..3 {
        pool.recorder().destination("policy_model").attempt();
        pool.recorder().external().attempt();
    }
    let seen = reader.collect();
    assert_eq!((attempts(&seen, "policy_model"), attempts(&seen, "external")), (Some(3.0), Some(3.0)));
    drop(pool);
    assert_eq!(attempts(&reader.collect(), "policy_model"), None);
}

#[test]
fn a_disabled_recorder_counts_nothing() {
    let recorder = PoolRecorder::disabled();
    let destination = recorder.destination("policy_model");
    destination.attempt();
    destination.queue(QueueConstraint::Total).granted();
    drop((destination.connect(), recorder.begin(), DestinationRecorder::disabled().connect()));
}

#[test]
fn the_queued_fraction_is_of_all_attempts() {
    let reader = Reader::new();
    let pool = PoolMetrics::new(&reader.meter());
    let destination = pool.recorder().destination("judge");
    assert_eq!(pool.destinations()[0].queued_fraction(), None);
    (0..4).for_each(|_| destination.attempt());
    destination.queue(QueueConstraint::Total).granted();
    drop(destination.queue(QueueConstraint::PerHost));
    assert_eq!(pool.destinations()[0].queued_fraction(), Some(0.5));
}

#[derive(Debug, Clone)]
enum Event {
    Attempt,
    Wait(QueueConstraint, QueueOutcome),
    Connect(ConnectOutcome),
}

fn event() -> impl Strategy<Value = Event> {
    let wait = (select(QueueConstraint::ALL), select(QueueOutcome::ALL));
    prop_oneof![
        Just(Event::Attempt),
        wait.prop_map(|(constraint, outcome)| Event::Wait(constraint, outcome)),
        select(ConnectOutcome::ALL).prop_map(Event::Connect),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    /// Whatever happens at whichever destination, it is counted there, and beyond the limit as `external`.
    #[test]
    fn each_event_is_counted_once_and_destinations_are_bounded(
        events in prop::collection::vec(("[a-f]|external", event()), 0..100)
    ) {
        let reader = Reader::new();
        let pool = PoolMetrics::with_destination_limit(&reader.meter(), 4);
        let recorder = pool.recorder();
        let mut known: Vec<&str> = Vec::new();
        for (name, event) in &events {
            if !known.contains(&name.as_str()) && name != "external" && known.len() < 4 {
                known.push(name);
            }
            let destination = recorder.destination(name);
            match event {
                Event::Attempt => destination.attempt(),
                Event::Wait(constraint, QueueOutcome::Ok) => destination.queue(*constraint).granted(),
                Event::Wait(constraint, _) => drop(destination.queue(*constraint)),
                Event::Connect(ConnectOutcome::Ok) => destination.connect().succeed(),
                Event::Connect(_) => drop(destination.connect()),
            }
        }
        let seen = reader.collect();
        known.push("external");
        let of = |name: &str, wanted: &dyn Fn(&Event) -> bool| {
            let counted = |asked: &str| if known.contains(&asked) { asked == name } else { name == "external" };
            events.iter().filter(|(asked, event)| counted(asked) && wanted(event)).count() as u64
        };
        for name in &known {
            let expected = of(name, &|event| matches!(event, Event::Attempt));
            prop_assert_eq!(attempts(&seen, name).unwrap_or_default(), expected as f64);
            for constraint in QueueConstraint::ALL {
                for outcome in QueueOutcome::ALL {
                    let expected = of(name, &|event| {
                        matches!(event, Event::Wait(c, o) if (c, o) == (constraint, outcome))
                    });
                    prop_assert_eq!(waits(&seen, name, *constraint, *outcome), expected);
                }
            }
            for outcome in ConnectOutcome::ALL {
                let expected = of(name, &|event| matches!(event, Event::Connect(o) if o == outcome));
                prop_assert_eq!(connects(&seen, name, *outcome), expected);
            }
        }
        prop_assert!(seen.series("gym.http.connection_pool.connect_total") <= 5);
    }
}
