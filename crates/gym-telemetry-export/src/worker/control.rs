use std::{
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, RecvTimeoutError, SyncSender},
    },
    time::{Duration, Instant},
};

use tokio::sync::{mpsc::UnboundedSender, oneshot};

use super::health::{Health, Status};
use crate::ExportError;

/// What the exporter's thread is asked to do, beside stopping.
pub(crate) enum Command {
    /// Collect and export now.
    Flush(Request),
    /// Collect, and answer with Prometheus' text.
    #[cfg(feature = "prometheus")]
    Scrape(oneshot::Sender<String>),
}

/// Somebody who waits for the outcome of an export, until a deadline.
pub(crate) struct Request {
    deadline: Instant,
    reply: SyncSender<Result<(), ExportError>>,
}

impl Request {
    /// The time left until the asker gives up.
    pub(crate) fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Tells the outcome. An asker that has given up does not hear it.
    pub(crate) fn answer(self, outcome: Result<(), ExportError>) {
        let _ = self.reply.send(outcome);
    }
}

/// The application's end of the exporter's thread.
pub(crate) struct Control {
    pub(super) commands: UnboundedSender<Command>,
    pub(super) stop: Mutex<Option<oneshot::Sender<Request>>>,
    pub(super) health: Arc<Health>,
}

impl Control {
    /// Has the thread export now, and waits for it.
    ///
    /// # Errors
    /// When the export fails, is late, or the thread is gone.
    pub(crate) fn flush(&self, timeout: Duration) -> Result<(), ExportError> {
        ask(timeout, |request| self.commands.send(Command::Flush(request)).is_ok())
    }

    /// Stops the thread. Whoever comes second finds nothing to stop.
    pub(crate) fn shutdown(&self, timeout: Duration) -> Result<(), ExportError> {
        match self.stop.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(stop) => ask(timeout, |request| stop.send(request).is_ok()),
            None => Ok(()),
        }
    }

    /// How exports have gone, and whether the thread is alive: it drops its end of the channel when it ends.
    pub(crate) fn status(&self) -> Status {
        self.health.status(!self.commands.is_closed())
    }

    /// A way to leave messages, for the service that answers scrapes.
    #[cfg(feature = "prometheus")]
    pub(crate) fn commands(&self) -> UnboundedSender<Command> {
        self.commands.clone()
    }
}

/// Sends a request and waits for the answer. It blocks the thread, and needs no runtime to do so.
fn ask(timeout: Duration, send: impl FnOnce(Request) -> bool) -> Result<(), ExportError> {
    let (reply, answer) = mpsc::sync_channel(1);
    let now = Instant::now();
    let deadline = now.checked_add(timeout).unwrap_or(now + Duration::from_secs(u32::MAX.into()));
    if !send(Request { deadline, reply }) {
        return Err(ExportError::Stopped);
    }
    match answer.recv_timeout(timeout) {
        Ok(outcome) => outcome,
        Err(RecvTimeoutError::Timeout) => Err(ExportError::Timeout(timeout)),
        Err(RecvTimeoutError::Disconnected) => Err(ExportError::Stopped),
    }
}
