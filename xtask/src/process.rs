//! Running cargo.

use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

/// A call of cargo.
#[derive(Debug)]
pub(crate) struct Cargo {
    command: Command,
}

impl Cargo {
    /// `cargo <words>` in the folder of the workspace. Words are split at spaces.
    pub(crate) fn new(root: &Path, words: &str) -> Self {
        // Cargo names itself to what it runs, so that a chosen toolchain stays chosen.
        let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(program);
        command.current_dir(root).args(words.split(' '));
        Self { command }
    }

    /// Adds one argument as it is.
    pub(crate) fn arg(mut self, arg: &str) -> Self {
        self.command.arg(arg);
        self
    }

    /// Sets an environment variable for the call.
    pub(crate) fn env(mut self, key: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(key, value);
        self
    }

    /// Runs it with this program's own output.
    pub(crate) fn run(mut self) -> Result<(), CommandError> {
        let status = self.command.status().map_err(|source| self.start_error(source))?;
        self.check(status)
    }

    /// Runs it and returns what it printed to standard output.
    pub(crate) fn read(mut self) -> Result<Vec<u8>, CommandError> {
        let output = self.command.stderr(Stdio::inherit()).output().map_err(|source| self.start_error(source))?;
        self.check(output.status)?;
        Ok(output.stdout)
    }

    /// Runs it unseen and says whether it succeeded.
    pub(crate) fn succeeds(mut self) -> bool {
        self.command.output().is_ok_and(|output| output.status.success())
    }

    /// Tells a call that failed from one that did not.
    fn check(&self, status: ExitStatus) -> Result<(), CommandError> {
        if status.success() { Ok(()) } else { Err(CommandError::Failed { command: self.line(), status }) }
    }

    /// The error of a call that never ran.
    fn start_error(&self, source: io::Error) -> CommandError {
        CommandError::Start { command: self.line(), source }
    }

    /// The call as it would be typed.
    fn line(&self) -> String {
        self.command.get_args().fold("cargo".to_owned(), |mut line, arg| {
            let _ = write!(line, " {}", arg.to_string_lossy());
            line
        })
    }
}

/// Why a call did not succeed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum CommandError {
    /// It could not be started.
    #[error("`{command}` does not start")]
    Start {
        /// The call.
        command: String,
        /// Why.
        source: io::Error,
    },
    /// It ran and failed.
    #[error("`{command}` failed: {status}")]
    Failed {
        /// The call.
        command: String,
        /// How it ended.
        status: ExitStatus,
    },
}
