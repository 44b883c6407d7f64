//! The command line. A new task is a variant here and a file in [`commands`].

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::workspace::Workspace;
use crate::{TaskResult, commands};

/// The project's own tasks.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
pub(crate) struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Everything that CI checks: `lint`, then `test`.
    Ci,
    /// All that needs no test run: format, clippy, tidy, documents, features, dependencies.
    Lint,
    /// All tests, with the fleet built for those that drive it.
    Test,
    /// The rules of CONTRIBUTING.md that a program can check.
    Tidy,
    /// Writes docs/metrics.md from the conventions crate.
    Docs {
        /// Write nothing, and fail if the file differs.
        #[arg(long)]
        check: bool,
    },
    /// Benchmarks by name, all without any; writes docs/performance.md.
    Bench {
        /// Which benchmarks to run.
        names: Vec<String>,
        /// Write each measurement to this file too, one JSON object a line.
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
    },
    /// Requests over sockets whose clients cancel, reset and provoke panics, and keep their own truth.
    Soak {
        /// How many of them.
        #[arg(long, default_value_t = 2_000_000)]
        requests: u64,
        /// Repeats a run.
        #[arg(long)]
        seed: Option<u64>,
    },
    /// Every interleaving of a few threads that count, under loom.
    Model,
    /// Known vulnerabilities in dependencies. Needs the network.
    Audit,
}

impl Cli {
    /// Runs the task that was asked for.
    pub(crate) fn run(self) -> TaskResult {
        let workspace = Workspace::load()?;
        match self.task {
            Task::Ci => commands::ci::run(&workspace),
            Task::Lint => commands::lint::run(&workspace),
            Task::Test => commands::test::run(&workspace),
            Task::Tidy => commands::tidy::run(&workspace),
            Task::Docs { check } => commands::docs::run(&workspace, check),
            Task::Bench { names, json } => commands::bench::run(&workspace, &names, json.as_deref()),
            Task::Soak { requests, seed } => commands::soak::run(&workspace, requests, seed),
            Task::Model => commands::model::run(&workspace),
            Task::Audit => commands::audit::run(&workspace),
        }
    }
}
