use std::{
    fmt,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use crate::{count::Count, nanos::nanos};

/// Pauses that wait for the next export, in a ring of a fixed size.
///
/// Pushing never waits: a claim on a slot is a number, and a full ring refuses it. The only lock is among those who
/// drain.
pub(super) struct Pauses {
    /// A pause, or 0 where there is none.
    ring: Box<[AtomicU64]>,
    claimed: AtomicU64,
    drained: AtomicU64,
    dropped: Count,
    draining: Mutex<()>,
}

/// The longest ring there is, however many pauses it is to hold.
const MOST: usize = 1 << 20;

/// Bits of a slot that hold the generation, counted from 1 so that no pause is 0.
const GENERATION_BITS: u32 = 2;

impl Pauses {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            ring: (0..limit.min(MOST)).map(|_| AtomicU64::new(0)).collect(),
            claimed: AtomicU64::new(0),
            drained: AtomicU64::new(0),
            dropped: Count::default(),
            draining: Mutex::new(()),
        }
    }

    /// Keeps a pause; counts it as dropped if there is no room.
    pub(super) fn push(&self, generation: usize, pause: Duration) {
        let room = |claimed: u64| {
            let kept = claimed.saturating_sub(self.drained.load(Ordering::Acquire));
            (kept < self.ring.len() as u64).then_some(claimed + 1)
        };
        let Ok(claim) = self.claimed.fetch_update(Ordering::Relaxed, Ordering::Relaxed, room) else {
            return self.dropped.add(1);
        };
        let nanos = nanos(pause).min(u64::MAX >> GENERATION_BITS);
        self.slot(claim).store(nanos << GENERATION_BITS | (generation as u64 + 1), Ordering::Release);
    }

    /// Takes every pause that is there, the oldest first.
    pub(super) fn drain(&self) -> Vec<(usize, Duration)> {
        let _one = self.draining.lock().unwrap_or_else(PoisonError::into_inner);
        let mut pauses = Vec::new();
        let mut drained = self.drained.load(Ordering::Relaxed);
        while drained < self.claimed.load(Ordering::Relaxed) {
            let pause = self.slot(drained).swap(0, Ordering::Acquire);
            if pause == 0 {
                // Claimed, and being written at this moment: it comes with the next export, as does all after it.
                break;
            }
            drained += 1;
            self.drained.store(drained, Ordering::Release);
            let generation = pause & ((1 << GENERATION_BITS) - 1);
            pauses.push((generation as usize - 1, Duration::from_nanos(pause >> GENERATION_BITS)));
        }
        pauses
    }

    /// How many pauses found no room so far.
    pub(super) fn dropped(&self) -> u64 {
        self.dropped.get()
    }

    fn slot(&self, number: u64) -> &AtomicU64 {
        &self.ring[(number % self.ring.len() as u64) as usize]
    }
}

impl fmt::Debug for Pauses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ring, claimed, drained, dropped, .. } = self;
        let mut debug = f.debug_struct("Pauses");
        debug.field("limit", &ring.len()).field("claimed", claimed).field("drained", drained);
        debug.field("dropped", dropped).finish()
    }
}
