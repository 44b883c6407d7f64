use std::sync::{Arc, Mutex, PoisonError};

use gym_telemetry_core::LimitRecorder;

use super::{
    AcquireError,
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
        read(&self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the state, reports it, and then, without the lock, tells waiters what that means for them.
    pub(super) fn update<T>(self: &Arc<Self>, change: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let result = change(&mut state);
        if let Some(recorder) = &self.recorder {
            recorder.set(state.read());
        }
        let answers = state.take_answers();
        drop(state);
        for Answer { sender, outcome } in answers {
            // Who no longer listens leaves the permit to be dropped here, and so to the next.
            drop(sender.send(outcome.map(|slots| self.permit(slots))));
        }
        result
    }

    /// Slots at once, if they are free.
    #[inline]
    pub(super) fn try_take(self: &Arc<Self>, asked: usize) -> Result<Option<MeteredPermit>, AcquireError> {
        let taken = self.update(|state| state.try_take(asked))?;
        Ok(taken.then(|| self.permit(asked)))
    }

    /// A permit for slots that the state counts as active.
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
}

impl Drop for MeteredPermit {
    fn drop(&mut self) {
        self.shared.update(|state| state.put(self.slots));
    }
}
