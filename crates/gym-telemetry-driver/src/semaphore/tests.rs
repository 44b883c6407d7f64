use std::{
    collections::{BTreeMap, VecDeque},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
    time::Duration,
};

use gym_telemetry_core::{ConcurrencyMetrics, LimitName, LimitState};
use proptest::prelude::*;
use tokio::time::timeout;

use super::*;
use crate::testing::Reader;

const NAME: [(&str, &str); 2] =
    [("nemo.gym.concurrency.component", "test"), ("nemo.gym.concurrency.limit_name", "slots")];

/// A semaphore whose series can be read.
fn metered(slots: usize) -> (MeteredSemaphore, ConcurrencyMetrics, Reader) {
    let reader = Reader::new();
    let concurrency = ConcurrencyMetrics::new(&reader.meter());
    let semaphore = MeteredSemaphore::new(slots, concurrency.limit(LimitName::new("test", "slots")));
    (semaphore, concurrency, reader)
}

type Caller = Pin<Box<dyn Future<Output = Result<MeteredPermit, AcquireError>>>>;

fn caller(semaphore: &MeteredSemaphore, asked: usize) -> Caller {
    let semaphore = semaphore.clone();
    Box::pin(async move { semaphore.acquire_many(asked).await })
}

fn poll(caller: &mut Caller) -> Poll<Result<MeteredPermit, AcquireError>> {
    caller.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn a1_a_lowered_limit_shows_at_once_and_admits_nobody_until_fewer_run() {
    let (semaphore, _concurrency, reader) = metered(10);
    let mut running: Vec<_> = (0..8).map(|_| semaphore.try_acquire().unwrap().unwrap()).collect();
    semaphore.resize(2);
    let seen = reader.collect();
    let gauge = |name: &str| seen.value(&format!("gym.concurrency.{name}"), &NAME);
    assert_eq!((gauge("limit"), gauge("active"), gauge("available")), (Some(2.0), Some(8.0), Some(0.0)));

    let mut next = caller(&semaphore, 1);
    assert!(poll(&mut next).is_pending());
    while running.len() > 2 {
        running.pop();
        assert!(poll(&mut next).is_pending(), "{} run, and the limit is 2", running.len());
    }
    running.pop();
    let Poll::Ready(Ok(admitted)) = poll(&mut next) else { panic!("fewer than 2 run") };
    assert_eq!(semaphore.state(), LimitState::new(2, 2, 0));
    drop((running, admitted));
    assert_eq!(semaphore.state(), LimitState::new(2, 0, 0));
}

#[test]
fn a2_more_than_there_can_be_is_an_error_at_once() {
    let semaphore = MeteredSemaphore::unmetered(4);
    let too_many = |asked, slots| Poll::Ready(AcquireError::TooMany { asked, slots });
    let refused = |caller: &mut Caller| poll(caller).map(Result::unwrap_err);
    assert_eq!(refused(&mut caller(&semaphore, 5)), too_many(5, 4));

    let held = semaphore.try_acquire().unwrap().unwrap();
    let (mut large, mut small) = (caller(&semaphore, 4), caller(&semaphore, 1));
    assert!(poll(&mut large).is_pending() && poll(&mut small).is_pending(), "first come, first served");
    semaphore.resize(3);
    assert_eq!(refused(&mut large), too_many(4, 3));
    assert!(matches!(poll(&mut small), Poll::Ready(Ok(_))), "it waited behind the one that was refused");
    drop(held);
    assert_eq!(semaphore.state(), LimitState::new(3, 0, 0));
}

#[test]
fn a_grown_limit_serves_those_who_wait() {
    let semaphore = MeteredSemaphore::unmetered(1);
    let _held = semaphore.try_acquire().unwrap().unwrap();
    let mut callers: Vec<_> = (0..3).map(|_| caller(&semaphore, 1)).collect();
    assert!(callers.iter_mut().all(|caller| poll(caller).is_pending()));
    semaphore.resize(3);
    assert_eq!(semaphore.state(), LimitState::new(3, 3, 1));
    let answers: Vec<_> = callers.iter_mut().map(poll).collect();
    assert!(matches!(&*answers, [Poll::Ready(Ok(_)), Poll::Ready(Ok(_)), Poll::Pending]));
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_runs_out_of_time_is_told_from_one_that_is_given_up() {
    let (semaphore, _concurrency, reader) = metered(1);
    let hasty = semaphore.clone().with_timeout(Duration::from_secs(2));
    let held = hasty.acquire().await.unwrap();
    let error = hasty.acquire().await.unwrap_err();
    assert_eq!(error, AcquireError::TimedOut { after: Duration::from_secs(2) });
    assert_eq!(error.to_string(), "no slot was free within 2000 ms");
    for given_up in [&hasty, &semaphore] {
        assert!(timeout(Duration::from_secs(1), given_up.acquire()).await.is_err());
    }

    let seen = reader.collect();
    let total = |name: &str| seen.value(&format!("gym.concurrency.{name}_total"), &NAME);
    assert_eq!((total("admission_timeouts"), total("admission_cancelled")), (Some(1.0), Some(2.0)));
    assert_eq!(semaphore.state(), LimitState::new(1, 1, 0));
    drop(held);
    assert_eq!(hasty.acquire().await.unwrap().slots(), 1);
}

/// One more inside, until it is dropped.
struct Inside(Arc<AtomicUsize>);

impl Inside {
    fn enter(inside: &Arc<AtomicUsize>, most: usize) -> Self {
        assert!(inside.fetch_add(1, Ordering::SeqCst) < most);
        Self(Arc::clone(inside))
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_slot_is_made_or_lost_while_tasks_are_aborted_and_the_limit_moves() {
    const MOST: usize = 4;
    let semaphore = MeteredSemaphore::unmetered(MOST);
    let inside = Arc::new(AtomicUsize::new(0));
    for round in 0..200_usize {
        let tasks: Vec<_> = (0..20)
            .map(|_| {
                let (semaphore, inside) = (semaphore.clone(), Arc::clone(&inside));
                tokio::spawn(async move {
                    let _permit = semaphore.acquire().await.unwrap();
                    let _inside = Inside::enter(&inside, MOST);
                    tokio::task::yield_now().await;
                })
            })
            .collect();
        semaphore.resize(1 + round % MOST);
        // Some are aborted before they were polled, some in the queue, some with a permit on its way.
        for task in tasks.iter().skip(round % 3).step_by(3) {
            task.abort();
        }
        for task in tasks {
            if let Err(error) = task.await {
                assert!(error.is_cancelled(), "{error}");
            }
        }
        assert_eq!((semaphore.state().active, semaphore.state().waiting), (0, 0));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slot_that_comes_as_the_time_runs_out_is_had() {
    let (semaphore, _concurrency, reader) = metered(1);
    let hasty = semaphore.with_timeout(Duration::from_millis(1));
    let mut late = 0;
    for _ in 0..100 {
        let wait = |_| {
            let hasty = hasty.clone();
            tokio::spawn(async move {
                let permit = hasty.acquire().await;
                tokio::time::sleep(Duration::from_micros(1)).await;
                permit.map(drop)
            })
        };
        for wait in (0..50).map(wait).collect::<Vec<_>>() {
            late += u64::from(wait.await.unwrap().is_err());
        }
    }
    assert_eq!(reader.collect().value("gym.concurrency.admission_timeouts_total", &NAME), Some(late as f64));
    assert_eq!(hasty.state(), LimitState::new(1, 0, 0));
}

#[derive(Debug, Clone)]
enum Step {
    Ask(usize),
    Poll(usize),
    GiveUp(usize),
    Release(usize),
    Resize(usize),
    Close,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0_usize..5).prop_map(Step::Ask),
        4 => any::<usize>().prop_map(Step::Poll),
        3 => any::<usize>().prop_map(Step::GiveUp),
        5 => any::<usize>().prop_map(Step::Release),
        2 => (1_usize..6).prop_map(Step::Resize),
        1 => Just(Step::Close),
    ]
}

/// What a semaphore should do, in the plainest way.
#[derive(Debug, Default)]
struct Model {
    slots: usize,
    closed: bool,
    /// Slots by who holds them, polled or not.
    held: BTreeMap<u64, usize>,
    queue: VecDeque<(u64, usize)>,
    cancelled: u64,
}

impl Model {
    fn active(&self) -> usize {
        self.held.values().sum()
    }

    fn settle(&mut self) {
        let (slots, closed) = (self.slots, self.closed);
        self.queue.retain(|(_, asked)| !closed && *asked <= slots);
        while let Some((who, asked)) = self.queue.front().copied()
            && self.active() + asked <= self.slots
        {
            self.held.insert(who, asked);
            self.queue.pop_front();
        }
    }

    fn waits(&self, who: u64) -> bool {
        self.queue.iter().any(|(waiter, _)| *waiter == who)
    }

    fn state(&self) -> LimitState {
        LimitState::new(self.slots as u64, self.active() as u64, self.queue.len() as u64)
    }
}

proptest! {
    /// Whatever callers do, in whatever order, the semaphore does what a naive queue does.
    #[test]
    fn agrees_with_a_naive_model(slots in 1_usize..6, steps in prop::collection::vec(step(), 0..60)) {
        let (semaphore, _concurrency, reader) = metered(slots);
        let mut model = Model { slots, ..Model::default() };
        let mut callers: Vec<(u64, Caller)> = Vec::new();
        let mut permits: Vec<(u64, MeteredPermit)> = Vec::new();
        for (who, step) in (0..).zip(steps) {
            let answered = match step {
                Step::Ask(asked) => {
                    model.queue.push_back((who, asked));
                    model.settle();
                    callers.push((who, caller(&semaphore, asked)));
                    Some(callers.len() - 1)
                }
                Step::Poll(index) if !callers.is_empty() => Some(index % callers.len()),
                Step::GiveUp(index) if !callers.is_empty() => {
                    let (who, caller) = callers.swap_remove(index % callers.len());
                    drop(caller);
                    model.cancelled += u64::from(model.waits(who));
                    model.queue.retain(|(waiter, _)| *waiter != who);
                    model.held.remove(&who);
                    None
                }
                Step::Release(index) if !permits.is_empty() => {
                    let (who, permit) = permits.swap_remove(index % permits.len());
                    prop_assert_eq!(model.held.remove(&who), Some(permit.slots()));
                    None
                }
                Step::Resize(slots) => {
                    semaphore.resize(slots);
                    model.slots = slots;
                    None
                }
                Step::Close => {
                    semaphore.close();
                    model.closed = true;
                    None
                }
                Step::Poll(_) | Step::GiveUp(_) | Step::Release(_) => None,
            };
            model.settle();
            if let Some(index) = answered {
                let who = callers[index].0;
                match poll(&mut callers[index].1) {
                    Poll::Pending => prop_assert!(model.waits(who)),
                    Poll::Ready(Ok(permit)) => {
                        prop_assert_eq!(model.held.get(&who), Some(&permit.slots()));
                        permits.push((who, permit));
                        drop(callers.swap_remove(index));
                    }
                    Poll::Ready(Err(_)) => {
                        prop_assert!(!model.waits(who) && !model.held.contains_key(&who));
                        drop(callers.swap_remove(index));
                    }
                }
            }
            prop_assert_eq!(semaphore.state(), model.state());
        }
        let seen = reader.collect();
        prop_assert_eq!(seen.value("gym.concurrency.active", &NAME), Some(model.active() as f64));
        prop_assert_eq!(seen.value("gym.concurrency.queue_depth", &NAME), Some(model.queue.len() as f64));
        prop_assert_eq!(seen.value("gym.concurrency.admission_cancelled_total", &NAME), Some(model.cancelled as f64));
        drop((callers, permits));
        prop_assert_eq!((semaphore.state().active, semaphore.state().waiting), (0, 0));
    }
}
