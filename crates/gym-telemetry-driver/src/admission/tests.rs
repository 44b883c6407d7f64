use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use gym_telemetry_core::{ConcurrencyMetrics, DriverMetrics, LimitName};
use opentelemetry::metrics::{MeterProvider as _, NoopMeterProvider};
use opentelemetry_sdk::metrics::SdkMeterProvider;
use tokio::task::JoinSet;

use super::*;
use crate::{AdaptiveLimit, MeteredSemaphore, served::seen_when_served, testing::Reader};

fn admission(limit: usize) -> (Admission, DriverMetrics) {
    let metrics = DriverMetrics::new(&SdkMeterProvider::builder().build().meter("test"));
    (Admission::new(limit, metrics.clone()), metrics)
}

#[tokio::test]
async fn a_cancelled_wait_loses_no_permit() {
    let (admission, metrics) = admission(1);
    let running = admission.admit().await.unwrap();
    let waiting = tokio::spawn({
        let admission = admission.clone();
        async move { admission.admit().await }
    });
    tokio::task::yield_now().await;
    waiting.abort();
    assert!(waiting.await.unwrap_err().is_cancelled());
    drop(running);
    let next = admission.admit().await.unwrap();
    assert_eq!(metrics.snapshot().active, 1);
    drop(next);
    assert_eq!(metrics.snapshot().active, 0);
}

#[tokio::test]
async fn who_is_admitted_sees_no_more_active_than_the_limit() {
    let (admission, metrics) = admission(1);
    let running = admission.admit().await.unwrap();
    let next = async move { admission.admit().await.map(std::mem::forget) };
    let seen = seen_when_served(next, move || metrics.snapshot().active, || drop(running));
    assert_eq!(seen, Some(1));
}

#[tokio::test]
async fn a_wait_is_one_sample_of_its_length() {
    const WAIT: Duration = Duration::from_millis(20);
    let reader = Reader::new();
    let admission = Admission::new(1, DriverMetrics::new(&reader.meter()));
    let running = admission.admit().await.unwrap();
    let (next, ()) = tokio::join!(admission.admit(), async {
        tokio::time::sleep(WAIT).await;
        drop(running);
    });
    drop(next.unwrap());
    let (count, sum) = reader.collect().histogram("gym.driver.admission_duration_ms", &[]).unwrap();
    assert_eq!(count, 2);
    assert!(sum >= WAIT.as_secs_f64() * 1e3, "{sum}");
}

#[tokio::test]
async fn closing_lets_the_running_go_on_and_refuses_the_rest() {
    let (admission, metrics) = admission(1);
    let running = admission.admit().await.unwrap();
    let waiting = tokio::spawn({
        let admission = admission.clone();
        async move { admission.admit().await.map(drop) }
    });
    tokio::task::yield_now().await;
    admission.close();
    assert_eq!(waiting.await.unwrap(), Err(AdmissionError::Closed));
    assert_eq!(admission.admit().await.unwrap_err(), AdmissionError::Closed);
    assert_eq!(metrics.snapshot().active, 1);
    drop(running);
}

#[tokio::test(start_paused = true)]
async fn a_wait_has_an_end_where_there_is_a_timeout() {
    let reader = Reader::new();
    let (metrics, concurrency) = (DriverMetrics::new(&reader.meter()), ConcurrencyMetrics::new(&reader.meter()));
    let limit = MeteredSemaphore::new(1, concurrency.limit(LimitName::new("driver", "rollouts")));
    let admission = Admission::with_limit(limit.with_timeout(Duration::from_secs(3)), metrics);
    let running = admission.admit().await.unwrap();
    let error = admission.admit().await.unwrap_err();
    assert_eq!(error, AdmissionError::TimedOut { after: Duration::from_secs(3) });
    assert_eq!(error.to_string(), "the driver had no place for the rollout within 3000 ms");
    drop(running);

    let seen = reader.collect();
    let limit = [("nemo.gym.concurrency.component", "driver"), ("nemo.gym.concurrency.limit_name", "rollouts")];
    assert_eq!(seen.value("gym.concurrency.admission_timeouts_total", &limit), Some(1.0));
    assert_eq!(seen.histogram("gym.driver.admission_duration_ms", &[]), Some((1, 0.0)), "who ran waited for nothing");
}

#[tokio::test(start_paused = true)]
async fn an_adaptive_limit_shows_its_present_value() {
    let reader = Reader::new();
    let (metrics, concurrency) = (DriverMetrics::new(&reader.meter()), ConcurrencyMetrics::new(&reader.meter()));
    let limit = MeteredSemaphore::new(100, concurrency.limit(LimitName::new("driver", "rollouts")));
    let admission = Admission::with_limit(limit, metrics).adaptive(AdaptiveLimit::between(2, 10));
    let name = [("nemo.gym.concurrency.component", "driver"), ("nemo.gym.concurrency.limit_name", "rollouts")];
    let shown = || reader.collect().value("gym.concurrency.limit", &name);
    assert_eq!(shown(), Some(10.0), "within its bounds from the start");
    for _ in 0..10 {
        admission.admit().await.unwrap().fail();
    }
    assert_eq!(shown(), Some(8.0), "ten that failed are a round");
    drop(admission.admit().await.unwrap());
    assert_eq!(shown(), Some(8.0), "one that was given up tells nothing");
}

#[tokio::test]
async fn an_adaptive_limit_stays_where_nobody_waits() {
    let (admission, _metrics) = admission(5);
    let admission = admission.adaptive(AdaptiveLimit::between(2, 10));
    for _ in 0..20 {
        admission.admit().await.unwrap().succeed();
    }
    assert_eq!(admission.state().slots, 5);
}

/// Runs all rollouts as tasks that exist from the start, and returns them in the order in which they ended, with how
/// many ran at most at a time.
async fn dispatch(rollouts: u64, admission: &Admission, metrics: Option<&DriverMetrics>) -> (Vec<u64>, u64) {
    let (inside, most) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let mut tasks = JoinSet::new();
    for number in 0..rollouts {
        let (admission, resident) = (admission.clone(), metrics.map(DriverMetrics::offer));
        let (inside, most) = (Arc::clone(&inside), Arc::clone(&most));
        tasks.spawn(async move {
            let _resident = resident;
            let _permit = admission.admit().await.unwrap();
            most.fetch_max(1 + inside.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
            tokio::time::sleep(Duration::from_millis(10 * (1 + number % 3))).await;
            inside.fetch_sub(1, Ordering::Relaxed);
            number
        });
    }
    if let Some(metrics) = metrics {
        assert_eq!(metrics.snapshot().resident, rollouts);
    }
    let mut ended = Vec::new();
    while let Some(number) = tasks.join_next().await {
        ended.push(number.unwrap());
    }
    (ended, most.load(Ordering::Relaxed))
}

#[tokio::test(start_paused = true)]
async fn a3_the_limit_bounds_those_who_run_and_telemetry_changes_nothing() {
    let (counted, metrics) = admission(4);
    let silent = Admission::new(4, DriverMetrics::new(&NoopMeterProvider::new().meter("test")));
    let with = dispatch(50, &counted, Some(&metrics)).await;
    let without = dispatch(50, &silent, None).await;
    assert_eq!(with.1, 4);
    assert_eq!(with, without);
    let seen = metrics.snapshot();
    assert_eq!((seen.offered, seen.resident, seen.active), (50, 0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_more_than_the_limit_are_active() {
    let (admission, metrics) = admission(3);
    let tasks: Vec<_> = (0..200)
        .map(|_| {
            let (admission, metrics) = (admission.clone(), metrics.clone());
            tokio::spawn(async move {
                let permit = admission.admit().await.unwrap();
                assert!(metrics.snapshot().active <= 3);
                tokio::task::yield_now().await;
                drop(permit);
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(metrics.snapshot().active, 0);
}
