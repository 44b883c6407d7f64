//! The project's own tasks: `cargo xtask help` lists them.

mod cli;
mod commands;
mod docs;
mod process;
mod report;
mod tidy;
mod workspace;

use std::error::Error;
use std::process::ExitCode;

use clap::Parser as _;

/// What a task ends with: the error of whichever part of it failed.
type TaskResult = Result<(), Box<dyn Error>>;

fn main() -> ExitCode {
    match cli::Cli::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report::say(&format!("error: {}", report::chain(&*error)));
            ExitCode::FAILURE
        }
    }
}
