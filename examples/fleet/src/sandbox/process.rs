use std::{io, process::Stdio};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    process::{Child, ChildStdin, ChildStdout, Command},
};

/// What a sandbox says first, once its limits are in force.
pub(super) const READY: &[u8] = b"\"ready\"\n";

/// How long an answer may be, in bytes.
const LONGEST_ANSWER: u64 = 1 << 20;

/// A process that answers questions. It is killed when it is dropped.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// Why a sandbox brought no verdict.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SandboxError {
    #[error("a sandbox cannot be started")]
    Spawn(#[source] io::Error),
    #[error("a sandbox was not ready within {0:?}")]
    TooSlow(std::time::Duration),
    #[error("a sandbox cannot be spoken to")]
    Pipe(#[source] io::Error),
    #[error("a sandbox ended without an answer")]
    Ended,
    #[error("a sandbox said more than {LONGEST_ANSWER} bytes")]
    TooMuch,
    #[error("a question cannot be put into words")]
    NoQuestion(#[source] serde_json::Error),
    #[error("a sandbox said something that is no answer")]
    NoAnswer(#[source] serde_json::Error),
}

impl Process {
    /// Starts a process, and waits until it is ready.
    pub(super) async fn start(mut command: Command) -> Result<Self, SandboxError> {
        command.env_clear().stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().map_err(SandboxError::Spawn)?;
        let (Some(questions), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(SandboxError::Ended);
        };
        let mut process = Self { child, questions, answers: BufReader::new(answers) };
        if process.line().await? == READY { Ok(process) } else { Err(SandboxError::Ended) }
    }

    /// Whether it still runs.
    pub(super) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Asks one question, which is one line. After an error, or when it was dropped before its end, the process is of
    /// no more use.
    pub(super) async fn ask(&mut self, question: &[u8]) -> Result<Vec<u8>, SandboxError> {
        self.questions.write_all(question).await.map_err(SandboxError::Pipe)?;
        self.line().await
    }

    /// One line of what it says.
    async fn line(&mut self) -> Result<Vec<u8>, SandboxError> {
        let mut line = Vec::new();
        let read = (&mut self.answers).take(LONGEST_ANSWER).read_until(b'\n', &mut line).await;
        match read.map_err(SandboxError::Pipe)? {
            _ if line.ends_with(b"\n") => Ok(line),
            read if read as u64 == LONGEST_ANSWER => Err(SandboxError::TooMuch),
            _ => Err(SandboxError::Ended),
        }
    }
}
