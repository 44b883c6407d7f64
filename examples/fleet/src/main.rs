//! A rollout fleet in one command: a supervisor, a model server, a resources server, an agent server, a rollout driver,
//! and every metric that they report, gathered and shown.
//!
//! The process that a person starts supervises and drives; the servers are processes of the same binary.

mod cli;
mod client;
mod driver;
mod page;
mod run;
mod servers;
mod summary;
mod supervisor;
mod tasks;
mod telemetry;
mod verifier;

use std::process::ExitCode;

use clap::Parser as _;
use tracing_subscriber::EnvFilter;

use crate::cli::{Cli, Command};

#[tokio::main]
async fn main() -> ExitCode {
    // First of all: what came before it is the process's own start.
    let startup = gym_telemetry::StartupTimeline::begin();
    let cli = Cli::parse();
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    let ended = match cli.command {
        Some(Command::Serve(server)) => servers::serve(server, startup).await.map(|()| ExitCode::SUCCESS),
        None => run::run(cli.options).await,
    };
    ended.unwrap_or_else(|error| {
        tell(&format!("error: {error:#}"));
        ExitCode::FAILURE
    })
}

/// Says something to the person at the terminal, beside what the run prints as its result.
#[expect(clippy::print_stderr, reason = "a command speaks to its user")]
fn tell(line: &str) {
    eprintln!("{line}");
}
