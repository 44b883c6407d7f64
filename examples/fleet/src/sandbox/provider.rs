use std::{
    fmt,
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use gym_telemetry::{Sandbox, SandboxMetrics, SandboxProvider};
use tokio::{process::Command, time::timeout};

use super::process::{Process, SandboxError};
use crate::{tasks::Row, verifier::Question};

/// The provider's name in the metrics.
const PROVIDER: &str = "process";

/// How long a sandbox may take to be ready.
const READY_WITHIN: Duration = Duration::from_secs(10);

/// How often its start is tried.
const TRIES: u32 = 3;

/// Starts sandboxes as they are needed, and keeps those that are free for the next who asks.
#[derive(Debug)]
pub(crate) struct Sandboxes {
    command: SandboxCommand,
    metrics: SandboxProvider,
    free: Mutex<Vec<Held>>,
}

/// What is run in a sandbox.
pub(super) struct SandboxCommand(pub(super) Box<dyn Fn() -> Command + Send + Sync>);

/// A sandbox that this process has started.
#[derive(Debug)]
struct Held {
    // Dropped in this order: who is counted no longer has been told to end.
    process: Process,
    sandbox: Sandbox,
}

impl Sandboxes {
    /// Sandboxes in which this program answers.
    pub(crate) fn new(program: PathBuf, metrics: &SandboxMetrics) -> Self {
        let command = move || {
            let mut command = Command::new(&program);
            command.arg("sandbox");
            command
        };
        Self::running(SandboxCommand(Box::new(command)), metrics)
    }

    pub(super) fn running(command: SandboxCommand, metrics: &SandboxMetrics) -> Self {
        Self { command, metrics: metrics.provider(PROVIDER), free: Mutex::default() }
    }

    /// Has a question answered in a sandbox. Whatever goes wrong, or is cut off, costs that sandbox its life.
    pub(crate) async fn ask(&self, question: &Question) -> Result<Row, SandboxError> {
        let mut line = serde_json::to_vec(question).map_err(SandboxError::NoQuestion)?;
        line.push(b'\n');
        let mut held = match self.take_free() {
            Some(held) => held,
            None => self.start().await?,
        };
        let command = held.sandbox.exec();
        let answer = held.process.ask(&line).await?;
        drop(command);
        let answer = serde_json::from_slice(&answer).map_err(SandboxError::NoAnswer)?;
        self.free().push(held);
        Ok(answer)
    }

    /// Ends the sandboxes that nobody uses.
    pub(crate) fn release(&self) {
        self.free().clear();
    }

    fn take_free(&self) -> Option<Held> {
        let mut free = self.free();
        while let Some(mut held) = free.pop() {
            if held.process.is_alive() {
                return Some(held);
            }
        }
        None
    }

    async fn start(&self) -> Result<Held, SandboxError> {
        let start = self.metrics.start();
        let mut tries = 1;
        loop {
            let started = timeout(READY_WITHIN, Process::start((self.command.0)())).await;
            match started.unwrap_or(Err(SandboxError::TooSlow(READY_WITHIN))) {
                Ok(process) => return Ok(Held { process, sandbox: start.started() }),
                Err(error) if tries == TRIES => return Err(error),
                Err(error) => tracing::warn!(%error, "a sandbox is started anew"),
            }
            start.retry();
            tries += 1;
        }
    }

    fn free(&self) -> MutexGuard<'_, Vec<Held>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for SandboxCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SandboxCommand").finish_non_exhaustive()
    }
}
