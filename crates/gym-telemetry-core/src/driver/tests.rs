use std::{
    cell::Cell,
    future::{pending, poll_fn},
    mem,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    pin::Pin,
    task::{Context, Poll, Waker},
    thread,
    time::Duration,
};

use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use proptest::prelude::*;

use super::*;
use crate::testing::Reader;

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

#[test]
fn no_more_are_seen_to_run_than_to_exist() {
    let reader = Reader::new();
    let driver = DriverMetrics::new(&reader.meter());
    thread::scope(|scope| {
        let work = |admitted: bool| {
            let driver = &driver;
            scope.spawn(move || {
                for _ in 0..200_000 {
                    let rollout = driver.offer();
                    drop(admitted.then(|| driver.admitted(Duration::ZERO)));
                    drop(rollout);
                }
            })
        };
        let threads = [work(true), work(true), work(false)];
        while threads.iter().any(|thread| !thread.is_finished()) {
            for _ in 0..1_000 {
                let seen = driver.snapshot();
                assert!(seen.active <= seen.resident && seen.resident <= seen.offered, "{seen:?}");
            }
            let seen = reader.collect();
            let level = |level: &str| seen.value(&format!("gym.driver.rollouts.{level}"), &[]);
            assert!(level("active") <= level("resident"));
        }
    });
    let seen = driver.snapshot();
    assert_eq!((seen.offered, seen.resident, seen.active), (600_000, 0, 0));
}

type Rollout = Pin<Box<dyn Future<Output = ()>>>;

fn poll(rollout: &mut Rollout) -> Poll<()> {
    rollout.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

#[derive(Debug, Clone, Copy)]
enum End {
    Ready,
    Panic,
    DropPolled,
    DropUnpolled,
    Stay,
}

fn end() -> impl Strategy<Value = End> {
    prop_oneof![Just(End::Ready), Just(End::Panic), Just(End::DropPolled), Just(End::DropUnpolled), Just(End::Stay)]
}

/// Notes how many rollouts exist when it is dropped.
struct NotesResident<'a>(&'a DriverMetrics, &'a Cell<Option<u64>>);

impl Drop for NotesResident<'_> {
    fn drop(&mut self) {
        self.1.set(Some(self.0.snapshot().resident));
    }
}

#[test]
fn what_a_rollout_holds_goes_before_the_rollout() {
    let driver = DriverMetrics::new(&SdkMeterProvider::builder().build().meter("test"));
    for polls in 0..3 {
        let seen = Cell::new(None);
        let notes = NotesResident(&driver, &seen);
        let mut rollout = Box::pin(driver.resident(async move {
            let _notes = notes;
            wait_once().await;
        }));
        for _ in 0..polls {
            let _ = rollout.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        }
        drop(rollout);
        assert_eq!((seen.get(), driver.snapshot().resident), (Some(1), 0), "after {polls} polls");
    }
}

/// Waits once.
async fn wait_once() {
    let mut waited = false;
    poll_fn(|_| if mem::replace(&mut waited, true) { Poll::Ready(()) } else { Poll::Pending }).await;
}

proptest! {
    /// A rollout that is a future is resident from its offer to its end, whatever its end is.
    #[test]
    fn futures_are_resident_until_they_end(ends in prop::collection::vec((end(), any::<bool>()), 0..40)) {
        let driver = DriverMetrics::new(&SdkMeterProvider::builder().build().meter("test"));
        let (mut staying, mut active) = (Vec::new(), 0);
        for (offered, (end, admitted)) in (1..).zip(ends) {
            let metrics = driver.clone();
            let mut rollout: Rollout = Box::pin(driver.resident(async move {
                let _running = admitted.then(|| metrics.admitted(Duration::ZERO));
                match end {
                    End::Ready => (),
                    End::Panic => resume_unwind(Box::new("the rollout broke")),
                    End::DropPolled | End::DropUnpolled | End::Stay => pending().await,
                }
            }));
            prop_assert_eq!(driver.snapshot().resident, staying.len() as u64 + 1);
            match end {
                End::Ready => prop_assert!(poll(&mut rollout).is_ready()),
                End::Panic => prop_assert!(catch_unwind(AssertUnwindSafe(|| poll(&mut rollout))).is_err()),
                End::DropPolled | End::Stay => prop_assert!(poll(&mut rollout).is_pending()),
                End::DropUnpolled => (),
            }
            if matches!(end, End::Stay) {
                active += u64::from(admitted);
                staying.push(rollout);
            }
            let seen = driver.snapshot();
            if matches!(end, End::Stay | End::Ready | End::Panic) {
                prop_assert_eq!((seen.offered, seen.active), (offered, active));
            }
        }
        prop_assert_eq!(driver.snapshot().resident, staying.len() as u64);
        drop(staying);
        prop_assert_eq!((driver.snapshot().resident, driver.snapshot().active), (0, 0));
    }
}
