//! Measures what the crates cost, beside what people would use instead, in one process and in interleaved rounds.

mod callgrind;
mod measure;
mod page;
mod requests;
mod subject;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result, bail};
use clap::{Parser, Subcommand};

use crate::{measure::Measurement, subject::Subject};

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
        /// Write the results as a page in Markdown
        #[arg(long, value_name = "FILE")]
        page: Option<PathBuf>,
        /// How many interleaved rounds the medians are of
        #[arg(long, default_value_t = 15)]
        rounds: usize,
    },
    /// Runs one subject alone, for an instruction counter
    #[command(hide = true)]
    Alone { bench: String, stack: String, events: u64 },
}

/// Makes what a benchmark compares.
type Subjects = fn() -> Vec<Subject>;

/// Every benchmark by name.
const BENCHES: [(&str, Subjects); 1] = [(requests::NAME, requests::subjects)];

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
        Command::Alone { bench, stack, events } => {
            let subject = subjects(&bench)?.into_iter().find(|subject| subject.name == stack);
            subject.with_context(|| format!("`{bench}` has no stack `{stack}`"))?.run(events);
            Ok(())
        }
        Command::Run { names, json, page, rounds } => {
            let known = BENCHES.map(|(name, _)| name);
            if let Some(unknown) = names.iter().find(|name| !known.contains(&name.as_str())) {
                bail!("there is no benchmark `{unknown}`: there are {}", known.join(", "));
            }
            let mut all: Vec<Measurement> = Vec::new();
            for name in known.iter().filter(|name| names.is_empty() || names.iter().any(|wanted| wanted == *name)) {
                let measured = measure::run(name, &subjects(name)?, rounds)?;
                tell(&measure::table(&measured));
                all.extend(measured);
            }
            if let Some(path) = json {
                let lines: Vec<_> = all.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
                write(&path, &(lines.join("\n") + "\n"))?;
            }
            page.map_or(Ok(()), |path| write(&path, &page::render(&all, rounds)))
        }
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn subjects(bench: &str) -> Result<Vec<Subject>> {
    let found = BENCHES.iter().find(|(name, _)| *name == bench);
    found.map(|(_, subjects)| subjects()).with_context(|| format!("there is no benchmark `{bench}`"))
}

/// Says something to the person at the terminal.
#[expect(clippy::print_stderr, reason = "a command speaks to its user")]
fn tell(line: &str) {
    eprintln!("{line}");
}
