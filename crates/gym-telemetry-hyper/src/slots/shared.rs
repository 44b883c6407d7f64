use std::{
    hash::{BuildHasher as _, Hash},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use foldhash::quality::RandomState;

use super::{Limits, Waiting, hosts::HostId, state::State};

/// Slots under a total limit and a limit for each host.
///
/// Slots go to those who wait in the order of their arrival, except that nobody waits for a host that is full while its
/// own has room. `K` tells hosts apart. A host of which no slot is held or awaited is forgotten.
///
/// Cloning it shares the slots. [`PooledClient`](crate::PooledClient) has this within; alone, it is a queue for clients
/// of another kind.
///
/// # Example
///
/// ```
/// use gym_telemetry_hyper::{Limits, Slots};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let slots = Slots::new(Limits::new().total(10).per_host(1));
/// let Ok(slot) = slots.acquire(&"model") else { unreachable!("nobody holds one") };
/// let Err(waiting) = slots.acquire(&"model") else { unreachable!("the host has but one") };
/// drop(slot);
/// let _slot = waiting.await;
/// # }
/// ```
#[derive(Debug)]
pub struct Slots<K> {
    shared: Arc<Shared<K>>,
}

/// A slot of [`Slots`]. Dropping it gives it back.
#[derive(Debug)]
#[must_use = "dropping it gives the slot back"]
pub struct Slot<K: Clone + Eq + Hash> {
    shared: Arc<Shared<K>>,
    host: HostId,
}

/// [`Slots`] at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SlotsSnapshot {
    /// Slots that are held.
    pub held: usize,
    /// Callers that wait for one.
    pub waiting: usize,
    /// Hosts of which a slot is held or awaited.
    pub hosts: usize,
}

#[derive(Debug)]
pub(super) struct Shared<K> {
    hasher: RandomState,
    state: Mutex<State<K>>,
}

impl<K: Clone + Eq + Hash> Slots<K> {
    /// As many slots as these limits allow.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { shared: Arc::new(Shared { hasher: RandomState::default(), state: Mutex::new(State::new(limits)) }) }
    }

    /// A slot of a host at once. The key is cloned if the host is a new one.
    ///
    /// # Errors
    ///
    /// When a limit binds, a place in the queue instead, which counts from now on.
    pub fn acquire(&self, key: &K) -> Result<Slot<K>, Waiting<K>> {
        let hash = self.shared.hasher.hash_one(key);
        let entered = self.shared.lock().enter(hash, key);
        let shared = Arc::clone(&self.shared);
        match entered {
            Ok(host) => Ok(Slot { shared, host }),
            Err((place, constraint)) => Err(Waiting::new(shared, place, constraint)),
        }
    }

    /// Who holds and awaits slots now.
    #[must_use]
    pub fn snapshot(&self) -> SlotsSnapshot {
        self.shared.lock().read()
    }
}

impl<K> Clone for Slots<K> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

impl<K: Clone + Eq + Hash> Slot<K> {
    /// A slot that the state counts as held.
    pub(super) fn new(shared: Arc<Shared<K>>, host: HostId) -> Self {
        Self { shared, host }
    }
}

impl<K: Clone + Eq + Hash> Drop for Slot<K> {
    fn drop(&mut self) {
        let waker = self.shared.lock().put(self.host);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<K> Shared<K> {
    pub(super) fn lock(&self) -> MutexGuard<'_, State<K>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
