use std::{
    ffi::OsStr,
    io::{BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{LazyLock, mpsc},
    thread,
};

use gym_telemetry_tests::{LONG, eventually};
use sysinfo::{Pid, Process, Signal, System};

use super::Folder;

/// The fleet: the one that `cargo xtask test` has built, or one that is built now.
static FLEET: LazyLock<PathBuf> = LazyLock::new(|| {
    std::env::var_os("FLEET_BIN").map(PathBuf::from).unwrap_or_else(|| {
        let built = Command::new(env!("CARGO")).args(["build", "--quiet", "--release", "-p", "fleet"]).status();
        assert!(built.unwrap().success(), "the fleet does not build");
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
        target.join("release").join(format!("fleet{}", std::env::consts::EXE_SUFFIX))
    })
});

/// A run of the fleet that is about to start, with nothing but its own variables around it.
#[derive(Debug)]
pub(crate) struct Fleet(Command);

impl Fleet {
    /// Without any options.
    pub(crate) fn new() -> Self {
        let mut command = Command::new(&*FLEET);
        command.env_clear();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self(command)
    }

    /// From a folder's input to its output.
    pub(crate) fn on(folder: &Folder) -> Self {
        Self::new().option("--input", folder.input()).option("--output", folder.output())
    }

    /// An option with a value.
    pub(crate) fn option(self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.arg(name).arg(value)
    }

    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.0.arg(argument);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.0.env(name, value);
        self
    }

    pub(crate) fn current_dir(mut self, folder: &Path) -> Self {
        self.0.current_dir(folder);
        self
    }

    /// For a test that speaks to it.
    pub(crate) fn into_command(self) -> Command {
        self.0
    }

    /// Runs it to its end.
    pub(crate) fn run(self) -> Ended {
        self.start().wait()
    }

    pub(crate) fn start(mut self) -> Running {
        let mut child = self.0.spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let printed = thread::spawn(move || {
            let mut text = String::new();
            stdout.read_to_string(&mut text).map(|_| text).unwrap()
        });
        let (say, said) = mpsc::channel();
        thread::spawn(move || stderr.lines().map_while(Result::ok).try_for_each(|line| say.send(line)));
        Running { child, printed: Some(printed), said, stderr: String::new() }
    }
}

/// A fleet that runs. It is killed if the test does not wait for it.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    printed: Option<thread::JoinHandle<String>>,
    said: mpsc::Receiver<String>,
    stderr: String,
}

impl Running {
    /// Does what Ctrl-C does.
    pub(crate) fn interrupt(&self) {
        self.signal(Signal::Interrupt);
    }

    /// Sends a signal to the process that was started.
    pub(crate) fn signal(&self, which: Signal) {
        signal(|pid, _| pid == self.pid(), which);
    }

    /// Does that again and again, until it ends.
    pub(crate) fn interrupt_until_it_ends(mut self) -> Ended {
        eventually("the end of the fleet", || {
            self.interrupt();
            self.child.try_wait().unwrap().is_some()
        });
        self.wait()
    }

    /// Sends a signal to the server with this role, such as the kernel's when memory is short.
    pub(crate) fn signal_server(&self, role: &str, which: Signal) {
        let is_server = |process: &Process| process.cmd().iter().any(|word| word == role);
        signal(|_, process| process.parent() == Some(self.pid()) && is_server(process), which);
    }

    /// Kills the process that was started, and leaves its servers without it.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
    }

    fn pid(&self) -> Pid {
        Pid::from_u32(self.child.id())
    }

    /// Waits until it has said a line with this in it on standard error, and returns that line.
    pub(crate) fn wait_until_said(&mut self, part: &str) -> String {
        while self.hear().unwrap_or_else(|| panic!("`{part}` was not said, but:\n{}", self.stderr)) {
            if let Some(line) = self.stderr.lines().next_back().filter(|line| line.contains(part)) {
                return line.to_owned();
            }
        }
        panic!("`{part}` was not said, but:\n{}", self.stderr);
    }

    /// Waits for the end.
    pub(crate) fn wait(mut self) -> Ended {
        while self.hear().unwrap_or_else(|| panic!("the fleet hangs, after:\n{}", self.stderr)) {}
        let status = self.child.wait().unwrap();
        let stdout = self.printed.take().unwrap().join().unwrap();
        Ended { status, stdout, stderr: std::mem::take(&mut self.stderr) }
    }

    /// Takes in one more line; false if there is none, nothing if that takes too long.
    fn hear(&mut self) -> Option<bool> {
        match self.said.recv_timeout(LONG) {
            Ok(line) => {
                self.stderr.extend([&*line, "\n"]);
                Some(true)
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => Some(false),
            Err(mpsc::RecvTimeoutError::Timeout) => None,
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended already when the test has waited for it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether any process was started with this word.
pub(crate) fn is_running_with(word: impl AsRef<OsStr>) -> bool {
    let system = System::new_all().unwrap();
    system.processes().values().any(|process| process.cmd().iter().any(|other| other == word.as_ref()))
}

/// Kills every process that was started with this word.
pub(crate) fn kill_all_with(word: impl AsRef<OsStr>) {
    let system = System::new_all().unwrap();
    let processes = system.processes().values().filter(|process| process.cmd().iter().any(|it| it == word.as_ref()));
    // One that has ended meanwhile is no matter.
    processes.for_each(|process| _ = process.kill());
}

/// Sends a signal to the process that is chosen.
fn signal(chosen: impl Fn(Pid, &Process) -> bool, signal: Signal) {
    let system = System::new_all().unwrap();
    let process = system.processes().iter().find_map(|(pid, process)| chosen(*pid, process).then_some(process));
    assert_eq!(process.unwrap().kill_with(signal), Some(true));
}

/// A fleet that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    /// Whether it ended well; what it said otherwise.
    pub(crate) fn assert_success(&self) {
        assert!(self.status.success(), "{}: {}", self.status, self.stderr);
    }

    /// It refused, and said why on one line.
    pub(crate) fn assert_refused(&self, why: &str) {
        assert!(!self.status.success());
        assert!(self.stderr.lines().any(|line| line.contains(why)), "no line says `{why}`:\n{}", self.stderr);
    }
}
