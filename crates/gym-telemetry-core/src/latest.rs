//! A number that may be missing.

use std::{
    fmt,
    sync::atomic::{AtomicU64, Ordering},
};

/// The latest of some numbers; none before the first.
pub(crate) struct Latest(AtomicU64);

const NONE: u64 = u64::MAX;

impl Latest {
    pub(crate) fn none() -> Self {
        Self(AtomicU64::new(NONE))
    }

    /// Who gets the number sees all that was done before it was set.
    pub(crate) fn set(&self, number: u64) {
        self.0.store(number.min(NONE - 1), Ordering::Release);
    }

    pub(crate) fn clear(&self) {
        self.0.store(NONE, Ordering::Release);
    }

    pub(crate) fn get(&self) -> Option<u64> {
        some(self.0.load(Ordering::Acquire))
    }

    pub(crate) fn take(&self) -> Option<u64> {
        some(self.0.swap(NONE, Ordering::AcqRel))
    }
}

impl fmt::Debug for Latest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Latest").field(&self.get()).finish()
    }
}

fn some(number: u64) -> Option<u64> {
    (number != NONE).then_some(number)
}
