use std::{
    future::pending,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::Arc,
    time::Duration,
};

use gym_telemetry_conventions::{Executor, Operation, OperationOutcome};
use gym_telemetry_core::OperationMetrics;
use proptest::{prelude::*, sample::select};
use tokio::sync::Semaphore;

use super::*;
use crate::{AcquireError, MeteredSemaphore, served::seen_when_served, testing::Reader};

const KIND: (Operation, Executor) = (Operation::Verify, Executor::Subprocess);

struct Fixture {
    reader: Reader,
    metrics: OperationMetrics,
    limit: Semaphore,
}

impl Fixture {
    fn new(limit: usize) -> Self {
        let reader = Reader::new();
        let metrics = OperationMetrics::new(&reader.meter());
        Self { reader, metrics, limit: Semaphore::new(limit) }
    }

    async fn operation(&self) -> LimitedOperation<tokio::sync::SemaphorePermit<'_>> {
        operation(&self.metrics, &self.limit, KIND.0, KIND.1).await.unwrap()
    }

    /// Operations queued and active, and places free.
    fn now(&self) -> (u64, u64, usize) {
        let seen = self.metrics.snapshot(KIND.0, KIND.1);
        (seen.queued, seen.active, self.limit.available_permits())
    }

    /// How often operations ended as ok, error, timeout, cancelled and crashed.
    fn ended(&self) -> Vec<u64> {
        ended_by_outcome(&self.reader)
    }
}

fn ended_by_outcome(reader: &Reader) -> Vec<u64> {
    let seen = reader.collect();
    let count = |outcome: &OperationOutcome| {
        let attributes = [
            ("nemo.gym.resources.operation", KIND.0.as_str()),
            ("nemo.gym.resources.executor", KIND.1.as_str()),
            ("nemo.gym.resources.operation.outcome", outcome.as_str()),
        ];
        seen.histogram("gym.resources.operation.duration_ms", &attributes).map_or(0, |seen| seen.0)
    };
    OperationOutcome::ALL.iter().map(count).collect()
}

#[tokio::test]
async fn a_result_gives_the_outcome() {
    let fixture = Fixture::new(1);
    assert_eq!(fixture.operation().await.run(async { Ok::<_, ()>(7) }).await, Ok(7));
    assert_eq!(fixture.operation().await.run(async { Err::<(), _>("no") }).await, Err("no"));
    fixture.operation().await.end(OperationOutcome::Timeout);
    assert_eq!(fixture.now(), (0, 0, 1));
    assert_eq!(fixture.ended(), [1, 1, 1, 0, 0]);
}

#[tokio::test(start_paused = true)]
async fn what_runs_out_of_time_is_a_timeout_and_what_is_in_time_is_not() {
    let fixture = Fixture::new(1);
    let limit = Duration::from_secs(30);
    let late = fixture.operation().await.run_within(limit, pending::<Result<(), ()>>()).await;
    assert!(late.is_err());
    assert_eq!(fixture.operation().await.run_within(limit, async { Err::<(), _>("no") }).await.unwrap(), Err("no"));
    assert_eq!(fixture.now(), (0, 0, 1));
    assert_eq!(fixture.ended(), [0, 1, 1, 0, 0]);
}

#[tokio::test]
async fn a_wait_that_is_given_up_leaves_nothing_behind() {
    let fixture = Fixture::new(1);
    let running = fixture.operation().await;
    {
        let waiting = fixture.operation();
        tokio::pin!(waiting);
        assert!(futures_ready(waiting.as_mut()).is_none());
        assert_eq!(fixture.now(), (1, 1, 0));
    }
    assert_eq!(fixture.now(), (0, 1, 0));
    running.end(OperationOutcome::Ok);
    fixture.operation().await.end(OperationOutcome::Ok);
    assert_eq!(fixture.ended(), [2, 0, 0, 0, 0]);
}

#[tokio::test]
async fn work_that_is_dropped_is_cancelled_and_work_that_panics_crashed() {
    let fixture = Arc::new(Fixture::new(2));
    let work = |panics: bool| {
        let fixture = fixture.clone();
        async move {
            let work = async move {
                assert!(!panics, "the verifier broke");
                pending::<Result<(), ()>>().await
            };
            fixture.operation().await.run(work).await
        }
    };
    let cancelled = tokio::spawn(work(false));
    while fixture.now().1 == 0 {
        tokio::task::yield_now().await;
    }
    cancelled.abort();
    assert!(cancelled.await.unwrap_err().is_cancelled());
    assert!(tokio::spawn(work(true)).await.unwrap_err().is_panic());
    assert_eq!(fixture.now(), (0, 0, 2));
    assert_eq!(fixture.ended(), [0, 0, 0, 1, 1]);
}

#[tokio::test]
async fn a_closed_limit_runs_nothing() {
    let fixture = Fixture::new(0);
    fixture.limit.close();
    assert!(operation(&fixture.metrics, &fixture.limit, KIND.0, KIND.1).await.is_err());
    assert_eq!(fixture.now(), (0, 0, 0));
    assert_eq!(fixture.ended(), [0; 5]);
}

#[tokio::test(start_paused = true)]
async fn a_metered_limit_is_one_too_and_may_run_out_of_time() {
    let reader = Reader::new();
    let metrics = OperationMetrics::new(&reader.meter());
    let limit = Arc::new(MeteredSemaphore::unmetered(1).with_timeout(Duration::from_secs(1)));
    let running = operation(&metrics, &limit, KIND.0, KIND.1).await.unwrap();
    assert_eq!(running.permit().slots(), 1);
    let error = operation(&metrics, &limit, KIND.0, KIND.1).await.unwrap_err();
    assert_eq!(error, AcquireError::TimedOut { after: Duration::from_secs(1) });
    let seen = metrics.snapshot(KIND.0, KIND.1);
    assert_eq!((seen.queued, seen.active, limit.state().active), (0, 1, 1));
    running.end(OperationOutcome::Ok);
    assert_eq!(limit.state().active, 0);
}

#[tokio::test]
async fn who_is_served_sees_no_more_active_than_the_limit() {
    let metrics = OperationMetrics::new(&Reader::new().meter());
    let limit = MeteredSemaphore::unmetered(1);
    let running = operation(&metrics, &limit, KIND.0, KIND.1).await.unwrap();
    let next = {
        let metrics = metrics.clone();
        async move { operation(&metrics, &limit, KIND.0, KIND.1).await.map(std::mem::forget) }
    };
    let seen = seen_when_served(next, move || metrics.snapshot(KIND.0, KIND.1).active, || drop(running));
    assert_eq!(seen, Some(1));
}

/// What the work of an operation does.
#[derive(Debug, Clone, Copy)]
enum Work {
    Succeed,
    Fail,
    Panic,
    GoOn,
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Begin(Work),
    Drop(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let work = select(&[Work::Succeed, Work::Fail, Work::Panic, Work::GoOn, Work::GoOn, Work::GoOn][..]);
    prop_oneof![2 => work.prop_map(Step::Begin), 1 => any::<usize>().prop_map(Step::Drop)]
}

type Running = std::pin::Pin<Box<dyn Future<Output = ()>>>;

/// An operation that waits for the limit and then does its work.
fn begin(metrics: &OperationMetrics, limit: &MeteredSemaphore, work: Work) -> Running {
    let (metrics, limit) = (metrics.clone(), limit.clone());
    Box::pin(async move {
        let work = async move {
            match work {
                Work::Succeed => Ok(()),
                Work::Fail => Err(()),
                Work::Panic => resume_unwind(Box::new("the work broke")),
                Work::GoOn => pending().await,
            }
        };
        let _ = operation(&metrics, &limit, KIND.0, KIND.1).await.unwrap().run(work).await;
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// However operations end, those that wait and run are as many as a naive queue says.
    #[test]
    fn agrees_with_a_naive_queue(slots in 1_usize..4, steps in prop::collection::vec(step(), 0..40)) {
        let Fixture { reader, metrics, .. } = Fixture::new(0);
        let limit = MeteredSemaphore::unmetered(slots);
        let mut operations: Vec<Running> = Vec::new();
        // Of each operation that has not ended, what it does and whether it runs.
        let mut model: Vec<(Work, bool)> = Vec::new();
        let mut ended = vec![0; OperationOutcome::ALL.len()];
        for step in steps {
            match step {
                Step::Begin(work) => {
                    operations.push(begin(&metrics, &limit, work));
                    model.push((work, false));
                }
                Step::Drop(index) if !model.is_empty() => {
                    let index = index % model.len();
                    drop(operations.remove(index));
                    let (_, ran) = model.remove(index);
                    ended[OperationOutcome::Cancelled.index()] += u64::from(ran);
                }
                Step::Drop(_) => {}
            }
            // Whoever can go on does so, the first in the queue first.
            operations.retain_mut(|operation| {
                let polled = catch_unwind(AssertUnwindSafe(|| futures_ready(operation.as_mut())));
                polled.is_ok_and(|output| output.is_none())
            });
            let mut free = slots - model.iter().filter(|(_, runs)| *runs).count();
            model.retain_mut(|(work, runs)| {
                if *runs || free == 0 {
                    return true;
                }
                let outcome = match work {
                    Work::Succeed => OperationOutcome::Ok,
                    Work::Fail => OperationOutcome::Error,
                    Work::Panic => OperationOutcome::Crashed,
                    Work::GoOn => {
                        (*runs, free) = (true, free - 1);
                        return true;
                    }
                };
                ended[outcome.index()] += 1;
                false
            });
            let running = model.iter().filter(|(_, runs)| *runs).count();
            let seen = metrics.snapshot(KIND.0, KIND.1);
            prop_assert_eq!((seen.queued, seen.active), ((model.len() - running) as u64, running as u64));
            prop_assert_eq!((operations.len(), limit.state().active), (model.len(), running as u64));
        }
        prop_assert_eq!(ended_by_outcome(&reader), ended);
    }
}

/// The future's output if it is ready at its first poll.
fn futures_ready<F: Future + ?Sized>(future: std::pin::Pin<&mut F>) -> Option<F::Output> {
    match future.poll(&mut std::task::Context::from_waker(std::task::Waker::noop())) {
        std::task::Poll::Ready(output) => Some(output),
        std::task::Poll::Pending => None,
    }
}
