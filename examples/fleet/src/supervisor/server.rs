use std::{
    collections::VecDeque,
    net::SocketAddr,
    process::{ExitStatus, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
    sync::oneshot,
    task::JoinHandle,
    time::timeout,
};

use crate::servers::{Account, Report, Role};

/// How long a server may take to accept connections.
const READY_WITHIN: Duration = Duration::from_secs(30);

/// How long a server may take to end once it was told to.
const ENDED_WITHIN: Duration = Duration::from_secs(20);

/// How many of a server's last lines are kept for when it dies.
const LAST_LINES: usize = 20;

/// A server process that is up.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) role: Role,
    pub(crate) address: SocketAddr,
    pub(crate) pid: u32,
    /// Closing it tells the server to end.
    stdin: ChildStdin,
    told_to_end: Arc<AtomicBool>,
    ended: JoinHandle<Ended>,
}

/// How a server process ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) role: Role,
    pub(crate) status: String,
    /// Where its requests went, if it ended well enough to say so.
    pub(crate) account: Option<Account>,
    /// The last lines that it wrote on standard error.
    pub(crate) last_lines: Vec<String>,
}

/// Why a server is not up.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServerError {
    #[error("cannot start the {role} server")]
    Spawn { role: &'static str, source: std::io::Error },
    #[error("the {role} server was not ready within {within:?}")]
    TooSlow { role: &'static str, within: Duration },
    #[error("the {role} server ended ({status}) before it was ready{last_lines}")]
    EndedEarly { role: &'static str, status: String, last_lines: String },
}

impl Server {
    /// Starts a process and waits until it accepts connections. `died` is called if it ends badly or untold.
    pub(crate) async fn start(
        role: Role,
        mut command: Command,
        died: impl FnOnce(&Ended) + Send + 'static,
    ) -> Result<Self, ServerError> {
        let name = role.as_str();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let spawn_error = |source| ServerError::Spawn { role: name, source };
        let mut child = command.spawn().map_err(spawn_error)?;
        let pid = child.id().ok_or_else(|| spawn_error(std::io::Error::other("it has ended already")))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(spawn_error(std::io::Error::other("its pipes are missing")));
        };
        let told_to_end = Arc::new(AtomicBool::new(false));
        let (ready, is_ready) = oneshot::channel();
        let mut ended = tokio::spawn({
            let told_to_end = Arc::clone(&told_to_end);
            async move {
                let ended = watch(role, child, stdout, stderr, ready).await;
                // One that died may have been told to end before that was noticed.
                if ended.account.is_none() || !told_to_end.load(Ordering::Acquire) {
                    died(&ended);
                }
                ended
            }
        });
        match timeout(READY_WITHIN, is_ready).await {
            Ok(Ok(address)) => Ok(Self { role, address, pid, stdin, told_to_end, ended }),
            Ok(Err(_)) => Err(match (&mut ended).await {
                Ok(ended) => {
                    let last_lines = ended.last_lines.join(" | ");
                    let last_lines = if last_lines.is_empty() { last_lines } else { format!(": {last_lines}") };
                    ServerError::EndedEarly { role: name, status: ended.status, last_lines }
                }
                Err(error) => spawn_error(error.into()),
            }),
            Err(_) => {
                ended.abort();
                Err(ServerError::TooSlow { role: name, within: READY_WITHIN })
            }
        }
    }

    /// Tells the process to end, without waiting for it.
    pub(crate) fn tell_to_end(self) -> Ending {
        self.told_to_end.store(true, Ordering::Release);
        drop(self.stdin);
        Ending { role: self.role, ended: self.ended }
    }
}

/// A server that was told to end.
#[derive(Debug)]
pub(crate) struct Ending {
    role: Role,
    ended: JoinHandle<Ended>,
}

impl Ending {
    /// Waits for the end; a process that takes too long is killed.
    pub(crate) async fn wait(mut self) -> Ended {
        match timeout(ENDED_WITHIN, &mut self.ended).await {
            Ok(Ok(ended)) => ended,
            _ => {
                // Dropping the watch kills the process.
                self.ended.abort();
                let status = format!("killed: it had not ended within {ENDED_WITHIN:?}");
                Ended { role: self.role, status, account: None, last_lines: Vec::new() }
            }
        }
    }
}

/// Follows a process to its end.
async fn watch(
    role: Role,
    mut child: Child,
    stdout: ChildStdout,
    stderr: ChildStderr,
    ready: oneshot::Sender<SocketAddr>,
) -> Ended {
    let (account, last_lines) = tokio::join!(reports(stdout, ready), last_lines(stderr));
    let status = child.wait().await.map_or_else(|error| error.to_string(), |status: ExitStatus| status.to_string());
    Ended { role, status, account, last_lines }
}

/// Reads what a server says of itself.
async fn reports(stdout: ChildStdout, ready: oneshot::Sender<SocketAddr>) -> Option<Account> {
    let mut lines = BufReader::new(stdout).lines();
    let mut ready = Some(ready);
    let mut account = None;
    while let Ok(Some(line)) = lines.next_line().await {
        match serde_json::from_str(&line) {
            Ok(Report::Ready { address }) => {
                // Nobody listens any more when the server was too slow.
                let _ = ready.take().map(|ready| ready.send(address));
            }
            Ok(Report::Done(done)) => account = Some(done),
            Err(error) => tracing::warn!(%error, line, "a server said something that is no report"),
        }
    }
    account
}

async fn last_lines(stderr: ChildStderr) -> Vec<String> {
    let mut lines = BufReader::new(stderr).lines();
    let mut last = VecDeque::with_capacity(LAST_LINES);
    while let Ok(Some(line)) = lines.next_line().await {
        tracing::debug!(line, "a server wrote");
        if last.len() == LAST_LINES {
            last.pop_front();
        }
        last.push_back(line);
    }
    last.into()
}
