use std::{thread, time::Duration};

use super::*;
use crate::testing::Reader;

const SERVER: &[(&str, &str)] = &[("nemo.gym.event_loop", "server")];

#[test]
fn a_wait_is_visible_while_it_lasts_and_one_sample_when_it_ends() {
    let reader = Reader::new();
    let event_loops = EventLoopMetrics::new(&reader.meter());
    let probe = event_loops.probe("server");
    assert_eq!(reader.collect().value("gym.event_loop.current_lag_ms", SERVER), Some(0.0));

    probe.ready();
    let mut before = Duration::ZERO;
    for _ in 0..3 {
        thread::sleep(Duration::from_millis(1));
        let lag = event_loops.snapshot()[0].current_lag.unwrap();
        let exported = reader.collect().value("gym.event_loop.current_lag_ms", SERVER).unwrap();
        assert!(lag > before && exported >= lag.as_secs_f64() * 1e3);
        probe.ready(); // it is the same wait
        before = lag;
    }
    assert_eq!(reader.collect().series("gym.event_loop.lag_ms"), 0);

    let lag = probe.ran().unwrap();
    assert!(lag > before && probe.ran().is_none());
    let seen = reader.collect();
    let (count, sum) = seen.histogram("gym.event_loop.lag_ms", SERVER).unwrap();
    assert!(count == 1 && (sum - lag.as_secs_f64() * 1e3).abs() < 1e-6);
    assert_eq!(seen.value("gym.event_loop.current_lag_ms", SERVER), Some(0.0));
    let snapshot = &event_loops.snapshot()[0];
    assert_eq!((snapshot.samples, snapshot.waited, snapshot.worst_lag), (1, lag, lag));
    assert_eq!(snapshot.current_lag, Some(Duration::ZERO));
}

#[test]
fn a_stalled_worker_is_visible_beside_the_task() {
    let event_loops = EventLoopMetrics::new(&Reader::new().meter());
    let probe = event_loops.probe("server");
    probe.stalled(Some(Duration::ZERO));
    thread::sleep(Duration::from_millis(1));
    assert!(event_loops.snapshot()[0].current_lag.unwrap() >= Duration::from_millis(1));
    probe.stalled(None);
    assert_eq!(event_loops.snapshot()[0].current_lag, Some(Duration::ZERO));
}

#[test]
fn a_loop_that_ended_keeps_its_samples_and_loses_its_present() {
    let reader = Reader::new();
    let event_loops = EventLoopMetrics::new(&reader.meter());
    let (first, second) = (event_loops.probe("server"), event_loops.probe("server"));
    first.set_tasks(3);
    second.set_tasks(4);
    first.record(Duration::from_millis(2));
    second.record(Duration::from_millis(40));
    let seen = reader.collect();
    assert_eq!(seen.value("gym.event_loop.tasks", SERVER), Some(7.0));
    assert_eq!(seen.histogram("gym.event_loop.lag_ms", SERVER), Some((2, 42.0)));

    drop(first);
    assert_eq!(reader.collect().value("gym.event_loop.tasks", SERVER), Some(4.0));
    drop(second);
    let seen = reader.collect();
    assert_eq!((seen.series("gym.event_loop.tasks"), seen.series("gym.event_loop.current_lag_ms")), (0, 0));
    assert_eq!(seen.histogram("gym.event_loop.lag_ms", SERVER), Some((2, 42.0)));
    assert_eq!(event_loops.snapshot()[0].current_lag, None);
}

#[test]
fn names_are_bounded() {
    let reader = Reader::new();
    let event_loops = EventLoopMetrics::new(&reader.meter());
    for name in 0..1_000 {
        event_loops.probe(&name.to_string()).record(Duration::from_millis(1));
    }
    let seen = reader.collect();
    assert_eq!(seen.series("gym.event_loop.lag_ms"), 65);
    let other = seen.histogram("gym.event_loop.lag_ms", &[("nemo.gym.event_loop", "<other>")]);
    assert_eq!(other.unwrap().0, 1_000 - 64);
    assert_eq!(event_loops.snapshot().len(), 65);
}

#[test]
fn the_limit_of_names_is_a_setting() {
    let reader = Reader::new();
    let event_loops = EventLoopMetrics::with_loop_limit(&reader.meter(), 1);
    let _probes = ["server", "driver", "head_server"].map(|name| event_loops.probe(name));
    assert_eq!(reader.collect().series("gym.event_loop.current_lag_ms"), 2);
}

#[test]
fn workers_that_were_busy_are_told_since_the_last_export() {
    let reader = Reader::new();
    let event_loops = EventLoopMetrics::new(&reader.meter());
    let probe = event_loops.probe("server");
    let ratio = || reader.collect().value("gym.telemetry.event_loop.busy_ratio", SERVER);
    let second = Duration::from_secs(1);
    assert_eq!(ratio(), None);
    probe.add_busy(second, second * 4);
    probe.add_busy(second * 2, second * 4);
    assert_eq!(ratio(), Some(0.375));
    probe.add_busy(second * 9, second * 4);
    assert_eq!(ratio(), Some(1.0));
    assert_eq!(ratio(), None);
    probe.set_queue_depth(5);
    assert_eq!(reader.collect().value("gym.telemetry.event_loop.queue_depth", SERVER), Some(5.0));
}
