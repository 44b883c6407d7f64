//! Processes to look at.

use std::{
    env, fs,
    hint::black_box,
    io::{self, BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};

/// A process that ends when this is dropped.
pub(super) struct Target {
    child: Child,
    stdout: Option<BufReader<ChildStdout>>,
}

impl Target {
    /// A process that does nothing and has next to nothing.
    pub(super) fn sleep() -> io::Result<Self> {
        let child = Command::new("sleep").arg("100000").stdin(Stdio::null()).spawn()?;
        Ok(Self { child, stdout: None })
    }

    /// This program again, which [holds](hold) so much memory.
    pub(super) fn holding(megabytes: usize) -> Result<Self> {
        let mut command = Command::new(env::current_exe()?);
        let command = command.args(["hold", &megabytes.to_string()]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let mut target = Self { stdout: child.stdout.take().map(BufReader::new), child };
        target.line()?;
        Ok(target)
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Lets one that holds memory map and unmap more of it for a while. Returns how often in a second it did.
    pub(super) fn ask(&mut self, time: Duration) -> Result<f64> {
        writeln!(self.child.stdin.as_mut().context("no input")?, "{}", time.as_millis())?;
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

/// Holds memory, and maps and unmaps more for as many milliseconds as each line of input tells.
pub(crate) fn hold(megabytes: usize) -> Result<()> {
    let memory = vec![1_u8; megabytes << 20];
    answer("ready")?;
    for line in io::stdin().lock().lines() {
        answer(&fault(Duration::from_millis(line?.parse()?)).to_string())?;
    }
    black_box(memory);
    Ok(())
}

fn answer(line: &str) -> io::Result<()> {
    let mut stdout = io::stdout();
    writeln!(stdout, "{line}")?;
    stdout.flush()
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
