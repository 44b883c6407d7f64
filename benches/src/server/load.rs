use std::{
    fs,
    io::Write as _,
    net::SocketAddr,
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, ensure};
use tempfile::NamedTempFile;

use super::stacks::PATH;

/// How long one round of one server is, in seconds.
const SECONDS: &str = "1";

/// Has wrk say in numbers what it knows.
const SCRIPT: &str = "done = function(summary, latency)
    local rate = summary.requests * 1e6 / summary.duration
    io.write('found ', rate, ' ', latency:percentile(50), ' ', latency:percentile(99), '\\n')
end";

/// A program that makes load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tool {
    Wrk,
    H2load,
}

/// What a server brought.
#[derive(Debug, Clone, Copy)]
pub(super) struct Brought {
    pub(super) requests_per_second: f64,
    pub(super) p50_us: f64,
    pub(super) p99_us: f64,
}

impl Tool {
    pub(super) const ALL: [Self; 2] = [Self::Wrk, Self::H2load];

    /// The program's name.
    pub(super) fn program(self) -> &'static str {
        match self {
            Self::Wrk => "wrk",
            Self::H2load => "h2load",
        }
    }

    /// The load that it makes.
    pub(super) fn load(self) -> &'static str {
        match self {
            Self::Wrk => "wrk, HTTP/1.1, 64 connections",
            Self::H2load => "h2load, HTTP/2, 8 connections of 8 streams",
        }
    }

    pub(super) fn is_installed(self) -> bool {
        let probe = Command::new(self.program()).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        probe.is_ok()
    }

    /// Makes load on a server for a while.
    pub(super) fn run(self, server: SocketAddr) -> Result<Brought> {
        let url = format!("http://{server}{PATH}");
        match self {
            Self::Wrk => wrk(&url),
            Self::H2load => h2load(&url),
        }
    }
}

fn wrk(url: &str) -> Result<Brought> {
    let mut script = NamedTempFile::new()?;
    script.write_all(SCRIPT.as_bytes())?;
    let said = output(Command::new("wrk").args(["-t1", "-c64", "-d", SECONDS, "-s"]).arg(script.path()).arg(url))?;
    let failed = said.lines().any(|line| line.contains("Non-2xx") || line.contains("Socket errors"));
    ensure!(!failed, "not every request was answered:\n{said}");
    let found = said.lines().find_map(|line| line.strip_prefix("found "));
    let numbers = found.map(|found| found.split(' ').map(str::parse).collect::<Result<Vec<f64>, _>>()).transpose()?;
    let Some([requests_per_second, p50_us, p99_us]) = numbers.as_deref() else { anyhow::bail!("wrk said:\n{said}") };
    Ok(Brought { requests_per_second: *requests_per_second, p50_us: *p50_us, p99_us: *p99_us })
}

fn h2load(url: &str) -> Result<Brought> {
    let log = NamedTempFile::new()?;
    let mut command = Command::new("h2load");
    command.args(["-t1", "-c8", "-m8", "-D", SECONDS, "--log-file"]).arg(log.path()).arg(url);
    let said = output(&mut command)?;
    // A line has when a request began, its status, and how long it took.
    let mut times = Vec::new();
    for line in fs::read_to_string(log.path())?.lines() {
        let mut columns = line.split('\t');
        ensure!(columns.nth(1) == Some("200"), "not every request was answered: {line}");
        times.push(columns.next().context("a line without a time")?.parse::<f64>()?);
    }
    times.sort_by(f64::total_cmp);
    let at = |part: f64| times.get((times.len() as f64 * part) as usize).copied().context("no request was answered");
    let rate = said.lines().find_map(|line| line.strip_prefix("finished in ")?.split(", ").nth(1)?.split(' ').next());
    let rate = rate.with_context(|| format!("h2load said:\n{said}"))?;
    Ok(Brought { requests_per_second: rate.parse()?, p50_us: at(0.5)?, p99_us: at(0.99)? })
}

fn output(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("{command:?} does not run"))?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
