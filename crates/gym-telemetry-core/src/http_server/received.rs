use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use crossbeam_queue::ArrayQueue;

/// How many counters of ended requests a thread keeps for the next ones.
const SPARE: usize = 256;

/// How many bytes of a request's body have been read. The body counts, and the request reports at its end.
#[derive(Debug, Clone)]
pub struct BytesReceived(Arc<AtomicU64>);

impl BytesReceived {
    /// So many more have been read.
    #[inline]
    pub fn add(&self, bytes: u64) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Counters that nobody uses, so that a request need not allocate one.
#[derive(Debug)]
pub(super) struct Spare(ArrayQueue<BytesReceived>);

impl Spare {
    pub(super) fn new() -> Self {
        Self(ArrayQueue::new(SPARE))
    }

    pub(super) fn take(&self) -> BytesReceived {
        self.0.pop().unwrap_or_else(|| BytesReceived(Arc::default()))
    }

    /// Keeps a counter for later, unless a body still counts with it or there are enough.
    pub(super) fn give_back(&self, mut received: BytesReceived) {
        if let Some(count) = Arc::get_mut(&mut received.0) {
            *count.get_mut() = 0;
            drop(self.0.push(received));
        }
    }
}
