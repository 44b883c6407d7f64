//! A rollout fleet in one command: a supervisor, a model server, a resources server, an agent server, a rollout driver,
//! and every metric that they report, gathered and shown.
//!
//! The process that a person starts supervises and drives; the servers are processes of the same binary.

mod cli;
mod client;
mod drive;
mod driver;
mod page;
mod paths;
mod run;
mod sandbox;
mod servers;
mod signals;
mod summary;
mod supervisor;
mod tasks;
mod telemetry;
mod verifier;

use std::{io::Write as _, process::ExitCode};

use anyhow::Result;
use clap::Parser as _;
use tokio::runtime::Runtime;
use tracing_subscriber::EnvFilter;

use crate::cli::{Cli, Command};

fn main() -> ExitCode {
    // First of all: what came before it is the process's own start.
    let startup = gym_telemetry::StartupTimeline::begin();
    let cli = Cli::parse();
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    let ended = match cli.command {
        Some(Command::Serve(server)) => on_runtime(servers::serve(server, startup)).map(|()| ExitCode::SUCCESS),
        Some(Command::Sandbox) => sandbox::answer_questions().map(|()| ExitCode::SUCCESS),
        None => on_runtime(run::run(cli.options)),
    };
    ended.unwrap_or_else(|error| {
        tell(&format!("error: {error:#}"));
        ExitCode::FAILURE
    })
}

/// A sandbox does without: one thread is enough for it.
fn on_runtime<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    Runtime::new()?.block_on(work)
}

/// Says something to the person at the terminal, beside what the run prints as its result.
fn tell(line: &str) {
    // Who cannot be told is gone, which does not end the run.
    let _ = writeln!(std::io::stderr(), "{line}");
}
