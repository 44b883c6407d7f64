use std::sync::Arc;

use futures_util::FutureExt as _;
use gym_telemetry::hyper::{Limits, Slot, Slots};
use tokio::{
    runtime::Builder,
    sync::Semaphore,
    task::{JoinSet, yield_now},
};

use super::calls::WIDE;
use crate::subject::Subject;

/// How many tasks queue for how many slots.
const TASKS: u64 = 64;
const SLOTS: usize = 8;

/// Slots alone, beside a semaphore.
pub(super) fn subjects() -> Vec<Subject> {
    let (permit, slot) = ("semaphore, a free permit", "slots, a free slot");
    let (queued_permit, queued_slot) = ("semaphore, 64 tasks for 8 permits", "slots, 64 tasks for 8 slots of a host");
    vec![
        free_permit(permit),
        free_slot(slot, 1).above(permit),
        free_slot("slots, a free slot, 1 000 hosts", 1_000).above(slot),
        queued_permits(queued_permit),
        queued_slots(queued_slot, Limits::new().per_host(SLOTS + 1), 1).above(queued_permit),
        queued_slots("slots, 64 tasks for 8 slots in total", Limits::new().total(SLOTS + 1), 1).above(queued_permit),
        queued_slots("slots, 64 tasks for 8 slots in total, 1 000 hosts", Limits::new().total(SLOTS + 1_000), 1_000)
            .above(queued_permit),
    ]
}

fn free_permit(name: &'static str) -> Subject {
    let semaphore = Semaphore::new(1_000);
    Subject::new(name, move |events| {
        for _ in 0..events {
            drop(semaphore.acquire().now_or_never());
        }
    })
}

/// A slot is taken of one host after the other, all of which are known.
fn free_slot(name: &'static str, hosts: u64) -> Subject {
    let (slots, held) = slots(WIDE, hosts);
    Subject::new(name, move |events| {
        for event in 0..events {
            drop(slots.acquire(&(event % held.len() as u64)));
        }
    })
}

fn queued_permits(name: &'static str) -> Subject {
    let semaphore = Arc::new(Semaphore::new(SLOTS));
    Subject::new(name, move |events| {
        let semaphore = Arc::clone(&semaphore);
        queue(events, move |_| {
            let semaphore = Arc::clone(&semaphore);
            async move { semaphore.acquire_owned().await.ok() }
        });
    })
}

fn queued_slots(name: &'static str, limits: Limits, hosts: u64) -> Subject {
    let (slots, held) = slots(limits, hosts);
    Subject::new(name, move |events| {
        let (slots, hosts) = (slots.clone(), held.len() as u64);
        queue(events, move |event| {
            let acquired = slots.acquire(&(event % hosts));
            async {
                match acquired {
                    Ok(slot) => slot,
                    Err(waiting) => waiting.await,
                }
            }
        });
    })
}

/// Slots of which one of each host is held, so that none is forgotten.
fn slots(limits: Limits, hosts: u64) -> (Slots<u64>, Vec<Slot<u64>>) {
    let slots = Slots::new(limits);
    let held = (0..hosts).filter_map(|host| slots.acquire(&host).ok()).collect();
    (slots, held)
}

/// Many tasks take turns: each waits, holds what it got while the others come, and lets go.
fn queue<F: Future<Output: Send> + Send + 'static>(events: u64, acquire: impl Fn(u64) -> F + Clone + Send + 'static) {
    let Ok(runtime) = Builder::new_current_thread().build() else { return };
    let mut tasks = JoinSet::new();
    for task in 0..TASKS {
        let acquire = acquire.clone();
        let turns = async move {
            for event in (task..events).step_by(TASKS as usize) {
                let held = acquire(event).await;
                yield_now().await;
                drop(held);
            }
        };
        tasks.spawn_on(turns, runtime.handle());
    }
    drop(runtime.block_on(tasks.join_all()));
}
