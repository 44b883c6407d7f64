use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

use gym_telemetry_conventions::QueueConstraint;
use proptest::prelude::*;

use super::*;

type Host = u8;

/// Counts how often it is woken.
#[derive(Debug, Default)]
struct Bell(AtomicUsize);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Bell {
    fn rings(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

fn poll(waiting: &mut Waiting<Host>) -> Poll<Slot<Host>> {
    Pin::new(waiting).poll(&mut Context::from_waker(Waker::noop()))
}

fn waits(slots: &Slots<Host>, host: Host) -> Waiting<Host> {
    slots.acquire(&host).expect_err("a limit binds")
}

fn gets(slots: &Slots<Host>, host: Host) -> Slot<Host> {
    slots.acquire(&host).expect("a slot is free")
}

#[test]
fn a_full_host_holds_nobody_else_up() {
    let slots = Slots::new(Limits::new().total(3).per_host(1));
    let first = gets(&slots, 1);
    let mut second = waits(&slots, 1);
    assert_eq!(second.constraint(), QueueConstraint::PerHost);
    let (_other, _third) = (gets(&slots, 2), gets(&slots, 3));
    let mut fourth = waits(&slots, 4);
    assert_eq!(fourth.constraint(), QueueConstraint::Total);

    drop(first);
    let Poll::Ready(_second) = poll(&mut second) else { panic!("it came first, and its host has room") };
    assert!(poll(&mut fourth).is_pending());
}

#[test]
fn nobody_is_woken_twice_or_for_the_slot_of_another() {
    let slots = Slots::new(Limits::new().per_host(1));
    let bells: [Arc<Bell>; 2] = Default::default();
    let held = gets(&slots, 1);
    let mut waiting = [waits(&slots, 1), waits(&slots, 1)];
    for (waiting, bell) in waiting.iter_mut().zip(&bells) {
        let waker = Waker::from(Arc::clone(bell));
        assert!(Pin::new(waiting).poll(&mut Context::from_waker(&waker)).is_pending());
    }
    drop(held);
    assert_eq!([bells[0].rings(), bells[1].rings()], [1, 0]);
    let [first, mut second] = waiting;
    assert!(poll(&mut second).is_pending(), "a spurious wake-up takes nothing");
    drop(first);
    assert_eq!([bells[0].rings(), bells[1].rings()], [1, 0], "the waker of the last poll is the one that counts");
    assert!(poll(&mut second).is_ready());
}

/// A task that holds a slot and is kept by its waker alone.
#[derive(Debug)]
struct Holder(#[expect(dead_code, reason = "it is only dropped")] Slot<Host>);

impl Wake for Holder {
    fn wake(self: Arc<Self>) {}
}

#[test]
fn a_slot_may_go_with_a_waker() {
    let slots = Slots::new(Limits::new().per_host(1));
    let _held = gets(&slots, 1);
    let mut waiting = waits(&slots, 1);
    for host in [2, 3] {
        let waker = Waker::from(Arc::new(Holder(gets(&slots, host))));
        assert!(Pin::new(&mut waiting).poll(&mut Context::from_waker(&waker)).is_pending());
        drop(waker);
        assert_eq!(slots.snapshot().held, 2, "that of the last poll alone");
    }
    drop(waiting);
    assert_eq!(slots.snapshot(), SlotsSnapshot { held: 1, waiting: 0, hosts: 1 });
}

#[test]
fn hosts_are_forgotten_and_no_limit_is_no_limit() {
    let slots = Slots::new(Limits::new());
    let memory = allocation_counter::measure(|| {
        let held: Vec<_> = (0..10_000_u32).map(|host| slots.acquire(&host).expect("no limit")).collect();
        assert_eq!(slots.snapshot(), SlotsSnapshot { held: 10_000, waiting: 0, hosts: 10_000 });
        drop(held);
    });
    assert_eq!(slots.snapshot(), SlotsSnapshot { held: 0, waiting: 0, hosts: 0 });
    assert_eq!(memory.bytes_current, 0);
}

#[test]
fn a_long_queue_leaves_no_memory_behind() {
    let slots = Slots::new(Limits::new().per_host(1));
    let _held = gets(&slots, 1);
    let memory = allocation_counter::measure(|| {
        let waiting: Vec<_> = (0..10_000).map(|_| waits(&slots, 1)).collect();
        drop(waiting);
    });
    assert_eq!((memory.bytes_current, slots.snapshot().waiting), (0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_slot_is_made_or_lost_while_tasks_are_aborted() {
    /// Takes itself off, however its task ends.
    struct Inside(&'static AtomicUsize);
    impl Drop for Inside {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }
    const MOST: usize = 3;
    static INSIDE: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];
    let slots = Slots::new(Limits::new().total(MOST).per_host(2));
    for round in 0..200 {
        let tasks: Vec<_> = (0..20)
            .map(|task| {
                let (slots, host) = (slots.clone(), task % INSIDE.len());
                tokio::spawn(async move {
                    let slot = match slots.acquire(&host) {
                        Ok(slot) => slot,
                        Err(waiting) => waiting.await,
                    };
                    let inside = Inside(&INSIDE[host]);
                    assert!(INSIDE[host].fetch_add(1, Ordering::SeqCst) < 2);
                    assert!(slots.snapshot().held <= MOST);
                    tokio::task::yield_now().await;
                    drop((inside, slot));
                })
            })
            .collect();
        for task in tasks.iter().skip(round % 3).step_by(3) {
            task.abort();
        }
        for task in tasks {
            if let Err(error) = task.await {
                assert!(error.is_cancelled(), "{error}");
            }
        }
        assert_eq!(slots.snapshot(), SlotsSnapshot { held: 0, waiting: 0, hosts: 0 });
    }
}

#[derive(Debug, Clone)]
enum Step {
    Ask(Host),
    Poll(usize),
    GiveUp(usize),
    Release(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => (0_u8..4).prop_map(Step::Ask),
        3 => any::<usize>().prop_map(Step::Poll),
        2 => any::<usize>().prop_map(Step::GiveUp),
        3 => any::<usize>().prop_map(Step::Release),
    ]
}

/// The plainest queue: one list of all who came, searched from its front.
#[derive(Debug)]
struct Model {
    total: usize,
    per_host: usize,
    held: Vec<(usize, Host)>,
    queue: Vec<(usize, Host)>,
}

impl Model {
    fn has_room(&self, host: Host) -> bool {
        let of_host = self.held.iter().filter(|(_, held)| *held == host).count();
        self.held.len() < self.total && of_host < self.per_host
    }

    fn settle(&mut self) {
        while let Some(index) = self.queue.iter().position(|(_, host)| self.has_room(*host)) {
            self.held.push(self.queue.remove(index));
        }
    }

    fn leave(&mut self, who: usize) {
        self.held.retain(|(holder, _)| *holder != who);
        self.queue.retain(|(waiter, _)| *waiter != who);
        self.settle();
    }

    fn waits(&self, who: usize) -> bool {
        self.queue.iter().any(|(waiter, _)| *waiter == who)
    }

    fn snapshot(&self) -> SlotsSnapshot {
        let mut hosts: Vec<_> = self.held.iter().chain(&self.queue).map(|(_, host)| host).collect();
        hosts.sort_unstable();
        hosts.dedup();
        SlotsSnapshot { held: self.held.len(), waiting: self.queue.len(), hosts: hosts.len() }
    }
}

fn bound(limit: usize) -> usize {
    if limit == 0 { usize::MAX } else { limit }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    /// Whatever callers do, in whatever order, the slots go to whom a naive queue gives them.
    #[test]
    fn agrees_with_a_naive_model(
        total in 0_usize..5,
        per_host in 0_usize..3,
        steps in prop::collection::vec(step(), 0..80),
    ) {
        let slots = Slots::new(Limits::new().total(total).per_host(per_host));
        let (held, queue) = (Vec::new(), Vec::new());
        let mut model = Model { total: bound(total), per_host: bound(per_host), held, queue };
        let (mut waiting, mut holding) = (Vec::<(usize, Waiting<Host>)>::new(), Vec::<(usize, Slot<Host>)>::new());
        for (who, step) in steps.into_iter().enumerate() {
            match step {
                Step::Ask(host) => {
                    let total_binds = model.held.len() >= model.total;
                    model.queue.push((who, host));
                    model.settle();
                    match slots.acquire(&host) {
                        Ok(slot) => {
                            prop_assert!(!model.waits(who));
                            holding.push((who, slot));
                        }
                        Err(place) => {
                            prop_assert!(model.waits(who));
                            prop_assert_eq!(place.constraint() == QueueConstraint::Total, total_binds);
                            waiting.push((who, place));
                        }
                    }
                }
                Step::Poll(index) if !waiting.is_empty() => {
                    let index = index % waiting.len();
                    let who = waiting[index].0;
                    match poll(&mut waiting[index].1) {
                        Poll::Ready(slot) => {
                            prop_assert!(!model.waits(who));
                            drop(waiting.swap_remove(index));
                            holding.push((who, slot));
                        }
                        Poll::Pending => prop_assert!(model.waits(who)),
                    }
                }
                Step::GiveUp(index) if !waiting.is_empty() => {
                    let (who, place) = waiting.swap_remove(index % waiting.len());
                    drop(place);
                    model.leave(who);
                }
                Step::Release(index) if !holding.is_empty() => {
                    let (who, slot) = holding.swap_remove(index % holding.len());
                    drop(slot);
                    model.leave(who);
                }
                Step::Poll(_) | Step::GiveUp(_) | Step::Release(_) => {}
            }
            prop_assert_eq!(slots.snapshot(), model.snapshot());
        }
        drop((waiting, holding));
        prop_assert_eq!(slots.snapshot(), SlotsSnapshot { held: 0, waiting: 0, hosts: 0 });
    }
}
