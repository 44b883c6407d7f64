//! Measures what the crates cost, beside what people would use instead, in one process and in interleaved rounds.

mod bench;
mod callgrind;
mod child;
mod dashboard;
mod measure;
mod memory;
mod page;
mod pool;
mod recorders;
mod requests;
mod runtime;
mod server;
mod subject;
mod table;

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result, bail};
use clap::{Parser, Subcommand};

use crate::bench::Bench;

/// Every benchmark, in the order of the page.
static BENCHES: [Bench; 7] =
    [requests::BENCH, server::BENCH, pool::BENCH, recorders::BENCH, runtime::BENCH, memory::BENCH, dashboard::BENCH];

/// Measures what gym-telemetry costs.
#[derive(Debug, Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs benchmarks by name, all of them without any
    Run {
        names: Vec<String>,
        /// Write each measurement to this file, one JSON object a line
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
        /// Write the results into their sections of this page in Markdown
        #[arg(long, value_name = "FILE")]
        page: Option<PathBuf>,
        /// How many interleaved rounds the medians are of
        #[arg(long, default_value_t = 15)]
        rounds: usize,
    },
    /// Runs one subject alone, for an instruction counter
    #[command(hide = true)]
    Alone { bench: String, stack: String, events: u64 },
    /// Is a server, for a benchmark in another process
    #[command(hide = true)]
    Serve { server: String },
    /// Holds memory, for a benchmark to look at
    #[command(hide = true)]
    Hold { megabytes: usize },
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<()> {
    // Nothing runs on it, but one of the peers spawns a task when it is made.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let _entered = runtime.enter();
    match command {
        Command::Alone { bench, stack, events } => find(&bench)?.run_alone(&stack, events),
        Command::Serve { server } if server == pool::SERVER => runtime.block_on(pool::serve()),
        Command::Serve { server } => server::serve(&server),
        Command::Hold { megabytes } => memory::hold(megabytes),
        Command::Run { names, json, page, rounds } => {
            let names: Vec<_> = names.iter().map(|name| find(name).map(|bench| bench.name)).collect::<Result<_>>()?;
            let mut lines = String::new();
            for bench in BENCHES.iter().filter(|bench| names.is_empty() || names.contains(&bench.name)) {
                let findings = bench.run(rounds)?;
                lines.extend(findings.json.iter().flat_map(|line| [line, "\n"]));
                if let Some(path) = &page {
                    // The first run finds no page.
                    let old = fs::read_to_string(path).unwrap_or_default();
                    write(path, &page::update(&old, &BENCHES, bench, &findings, rounds))?;
                }
            }
            json.map_or(Ok(()), |path| write(&path, &lines))
        }
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn find(name: &str) -> Result<&'static Bench> {
    let Some(bench) = BENCHES.iter().find(|bench| bench.name == name) else {
        bail!("there is no benchmark `{name}`: there are {}", BENCHES.each_ref().map(|bench| bench.name).join(", "));
    };
    Ok(bench)
}

/// Says something to the person at the terminal.
#[expect(clippy::print_stderr, reason = "a command speaks to its user")]
fn tell(line: &str) {
    eprintln!("{line}");
}
