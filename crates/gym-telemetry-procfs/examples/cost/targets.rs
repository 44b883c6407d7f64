//! Processes to look at: this program again, told what to be.

use std::{
    env,
    error::Error,
    fs,
    hint::black_box,
    io::{self, BufRead, BufReader, Write as _},
    process::{Child, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use crate::say;

/// A process that ends when this is dropped.
pub(crate) struct Target {
    child: Child,
    stdout: Option<BufReader<ChildStdout>>,
}

impl Target {
    /// A process that does nothing and has next to nothing.
    pub(crate) fn sleep() -> io::Result<Self> {
        let child = Command::new("sleep").arg("100000").stdin(Stdio::null()).spawn()?;
        Ok(Self { child, stdout: None })
    }

    /// A process that holds some memory. As `faulting` it maps and unmaps more of it whenever it is [asked](Self::ask).
    pub(crate) fn with_memory(kind: &str, megabytes: usize) -> Result<Self, Box<dyn Error>> {
        let mut command = Command::new(env::current_exe()?);
        let command = command.args([kind, &megabytes.to_string()]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let mut target = Self { stdout: child.stdout.take().map(BufReader::new), child };
        target.line()?;
        Ok(target)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Lets it work for a while, and returns how often in a second it did what it does.
    pub(crate) fn ask(&mut self) -> Result<f64, Box<dyn Error>> {
        self.child.stdin.as_mut().ok_or("no input")?.write_all(b"go\n")?;
        Ok(self.line()?.trim().parse()?)
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        if let Some(stdout) = &mut self.stdout {
            stdout.read_line(&mut line)?;
        }
        Ok(line)
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Is a target, if that is what this program was started for.
pub(crate) fn run(kind: &str, megabytes: usize) -> bool {
    if !["holding", "faulting"].contains(&kind) {
        return false;
    }
    let memory = vec![1_u8; megabytes << 20];
    say("ready");
    for _ in io::stdin().lock().lines() {
        say(&fault(Duration::from_secs(2)).to_string());
    }
    black_box(memory);
    true
}

/// Maps, touches and unmaps memory for a while. Returns how often in a second, without the time in which others had the
/// processor.
fn fault(time: Duration) -> f64 {
    let (since, waited) = (Instant::now(), waited_for_processor());
    let mut times = 0_u32;
    while since.elapsed() < time {
        black_box(vec![1_u8; 1 << 20]);
        times += 1;
    }
    let waited = waited_for_processor().saturating_sub(waited);
    f64::from(times) / since.elapsed().saturating_sub(waited).as_secs_f64()
}

/// How long this thread was ready and did not run.
fn waited_for_processor() -> Duration {
    let times = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let waited = times.split_whitespace().nth(1).and_then(|waited| waited.parse().ok());
    Duration::from_nanos(waited.unwrap_or_default())
}
