use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gym_telemetry_core::LimitRecorder;

use super::{
    AcquireError, MeteredSemaphore,
    state::{Answer, State},
};

/// What the handles, permits and waiters of one semaphore share.
#[derive(Debug)]
pub(super) struct Shared {
    state: Mutex<State>,
    pub(super) recorder: Option<LimitRecorder>,
}

/// Slots of a [`MeteredSemaphore`](super::MeteredSemaphore). Dropping it gives them back.
#[derive(Debug)]
#[must_use = "dropping it gives the slots back"]
pub struct MeteredPermit {
    shared: Arc<Shared>,
    slots: usize,
}

impl Shared {
    pub(super) fn new(slots: usize, recorder: Option<LimitRecorder>) -> Arc<Self> {
        let shared = Arc::new(Self { state: Mutex::new(State::new(slots)), recorder });
        shared.update(|_| ());
        shared
    }

    /// Looks at the state.
    pub(super) fn read<T>(&self, read: impl FnOnce(&State) -> T) -> T {
        read(&self.lock())
    }

    /// Changes the state, reports it, and then, without the lock, tells waiters what that means for them.
    #[inline]
    pub(super) fn update<T>(self: &Arc<Self>, change: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.lock();
        let result = change(&mut state);
        self.report(&state);
        if state.has_answers() {
            self.answer(state);
        }
        result
    }

    /// Slots at once, if they are free.
    #[inline]
    pub(super) fn try_take(self: &Arc<Self>, asked: usize) -> Result<Option<MeteredPermit>, AcquireError> {
        let mut state = self.lock();
        if !state.try_take(asked)? {
            return Ok(None);
        }
        self.report(&state);
        drop(state);
        Ok(Some(self.permit(asked)))
    }

    #[inline]
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline]
    fn report(&self, state: &State) {
        if let Some(recorder) = &self.recorder {
            recorder.set(state.read());
        }
    }

    /// Gives up the lock, and then tells waiters what was decided about them.
    #[inline(never)]
    fn answer(self: &Arc<Self>, mut state: MutexGuard<'_, State>) {
        let answers = state.take_answers();
        drop(state);
        for Answer { sender, outcome } in answers {
            // Who no longer listens leaves the permit to be dropped here, and so to the next.
            drop(sender.send(outcome.map(|slots| self.permit(slots))));
        }
    }

    /// A permit for slots that the state counts as active.
    #[inline]
    fn permit(self: &Arc<Self>, slots: usize) -> MeteredPermit {
        MeteredPermit { shared: Arc::clone(self), slots }
    }
}

impl MeteredPermit {
    /// How many slots it holds.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Where they come from.
    pub(crate) fn semaphore(&self) -> MeteredSemaphore {
        MeteredSemaphore::of(Arc::clone(&self.shared))
    }
}

impl Drop for MeteredPermit {
    #[inline]
    fn drop(&mut self) {
        self.shared.update(|state| state.put(self.slots));
    }
}
