use std::{
    hash::Hash,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use gym_telemetry_conventions::QueueConstraint;

use super::{Slot, shared::Shared, waiters::WaiterId};

/// A place in the queue of [`Slots`](super::Slots), and the slot once it is free.
///
/// # Cancel safety
///
/// Dropping it gives the place up; if a slot had been found for it, that goes to the next.
#[derive(Debug)]
#[must_use = "dropping it gives the place in the queue up"]
pub struct Waiting<K: Clone + Eq + Hash> {
    /// Until the slot was taken.
    place: Option<(Arc<Shared<K>>, WaiterId)>,
    constraint: QueueConstraint,
}

impl<K: Clone + Eq + Hash> Waiting<K> {
    pub(super) fn new(shared: Arc<Shared<K>>, place: WaiterId, constraint: QueueConstraint) -> Self {
        Self { place: Some((shared, place)), constraint }
    }

    /// The limit that bound when the wait began.
    #[must_use]
    pub fn constraint(&self) -> QueueConstraint {
        self.constraint
    }
}

impl<K: Clone + Eq + Hash> Unpin for Waiting<K> {}

impl<K: Clone + Eq + Hash> Future for Waiting<K> {
    type Output = Slot<K>;

    /// # Panics
    ///
    /// When it is polled after it was ready.
    #[expect(clippy::expect_used, reason = "futures may panic when they are polled after the end")]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Slot<K>> {
        let (shared, place) = self.place.take().expect("polled after it was ready");
        let served = shared.lock().served(place, cx.waker());
        match served {
            Ok(host) => Poll::Ready(Slot::new(shared, host)),
            Err(_replaced) => {
                self.place = Some((shared, place));
                Poll::Pending
            }
        }
    }
}

impl<K: Clone + Eq + Hash> Drop for Waiting<K> {
    fn drop(&mut self) {
        let left = self.place.take().map(|(shared, place)| shared.lock().leave(place));
        if let Some((Some(next), _own)) = left {
            next.wake();
        }
    }
}
