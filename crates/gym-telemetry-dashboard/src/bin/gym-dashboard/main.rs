//! Receives the metrics of a fleet on loopback and shows them live in a browser.

mod cli;
mod run;

use std::process::ExitCode;

use clap::Parser as _;

use crate::cli::{Cli, Command};

#[tokio::main]
async fn main() -> ExitCode {
    let Cli { command, receiver, shown } = Cli::parse();
    let ended = match command {
        Some(Command::Open { file, shown }) => run::open(&file, shown).await,
        None => run::receive(receiver, shown).await,
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Says where something is, for a person or a program to go there.
#[expect(clippy::print_stdout, reason = "a command speaks to its user")]
fn show(what: &str, address: &str) {
    println!("{what:<10} {address}");
}

/// Says what is amiss.
#[expect(clippy::print_stderr, reason = "a command speaks to its user")]
fn tell(line: &str) {
    eprintln!("{line}");
}
