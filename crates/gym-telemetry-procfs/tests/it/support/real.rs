use std::{
    io::{BufRead as _, BufReader, Write as _},
    os::unix::process::CommandExt as _,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::skip;

/// A program that does as a test tells it, line by line, with all that it starts.
pub(crate) struct Program {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Program {
    /// A Python program; none, and the reason printed, where there is no Python.
    ///
    /// What it prints is read by [`line`](Self::line); what it reads is written by [`go`](Self::go). It ends, and so
    /// does all that it started, when this is dropped.
    pub(crate) fn python(script: &str) -> Option<Self> {
        let mut command = Command::new("python3");
        command.args(["-u", "-c", script]);
        Self::start(&mut command)
    }

    pub(crate) fn start(command: &mut Command) -> Option<Self> {
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0).spawn();
        match spawned {
            Ok(mut child) => {
                let (stdin, stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
                Some(Self { child, stdin, stdout })
            }
            Err(error) => {
                skip(format_args!("{}: {error}", command.get_program().display()));
                None
            }
        }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The next line that it prints.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line.trim().to_owned()
    }

    /// The next line that it prints, as process ids.
    pub(crate) fn pids(&mut self) -> Vec<u32> {
        let mut pids: Vec<u32> = self.line().split_whitespace().map(|pid| pid.parse().unwrap()).collect();
        pids.sort_unstable();
        pids
    }

    /// Lets it go on to its next step.
    pub(crate) fn go(&mut self) {
        self.stdin.write_all(b"go\n").unwrap();
    }

    /// Sends a signal to it and to all that it started.
    pub(crate) fn signal_all(&self, signal: Signal) {
        kill_process_group(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Kills it alone, and waits for it to be gone.
    pub(crate) fn kill(&mut self) {
        kill(self.child.id());
        self.child.wait().unwrap();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.wait();
    }
}

/// Kills a process.
pub(crate) fn kill(pid: u32) {
    kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), Signal::KILL).unwrap();
}

/// The ids of a tree, sorted.
pub(crate) fn sorted(pids: &[u32]) -> Vec<u32> {
    let mut pids = pids.to_vec();
    pids.sort_unstable();
    pids
}
