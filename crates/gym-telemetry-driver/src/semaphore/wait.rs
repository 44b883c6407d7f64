use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use tokio::{sync::oneshot, time::timeout};

use super::{AcquireError, MeteredPermit, shared::Shared, state::Ticket};

/// A caller in the queue. Dropped before its slots were free, it counts as cancelled.
#[derive(Debug)]
pub(super) struct Wait {
    shared: Arc<Shared>,
    /// Until the answer was heard, or the place given up.
    ticket: Option<Ticket>,
    answer: oneshot::Receiver<Result<MeteredPermit, AcquireError>>,
}

impl Wait {
    pub(super) fn new(shared: &Arc<Shared>, asked: usize) -> Result<Self, AcquireError> {
        let (sender, answer) = oneshot::channel();
        let ticket = shared.update(|state| state.enqueue(asked, sender))?;
        Ok(Self { shared: Arc::clone(shared), ticket: Some(ticket), answer })
    }

    /// Waits for no longer than this.
    pub(super) async fn within(mut self, limit: Duration) -> Result<MeteredPermit, AcquireError> {
        if let Ok(answer) = timeout(limit, &mut self).await {
            return answer;
        }
        if !self.leave() {
            // The answer came at the same moment: it counts.
            return self.await;
        }
        if let Some(recorder) = &self.shared.recorder {
            recorder.timed_out();
        }
        Err(AcquireError::TimedOut { after: limit })
    }

    /// Gives the place in the queue up; `false` if there is none, because the answer is there or on its way.
    fn leave(&mut self) -> bool {
        self.ticket.take().is_some_and(|ticket| self.shared.update(|state| state.leave(ticket)))
    }
}

impl Future for Wait {
    type Output = Result<MeteredPermit, AcquireError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let answer = Pin::new(&mut self.answer).poll(cx);
        if answer.is_ready() {
            self.ticket = None;
        }
        // A sender answers before it goes, so the second error does not occur.
        answer.map(|answer| answer.unwrap_or(Err(AcquireError::Closed)))
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        if self.leave()
            && let Some(recorder) = &self.shared.recorder
        {
            recorder.cancelled();
        }
    }
}
