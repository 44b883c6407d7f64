//! What a task of several steps prints: each step as it begins and ends, and a table of them all.

use std::error::Error;
use std::io::{self, Write as _};
use std::time::{Duration, Instant};

/// The steps of a task so far.
///
/// A failed step does not stop the task: one run shows everything there is to mend.
#[derive(Debug, Default)]
#[must_use = "failures show only in `finish`"]
pub(crate) struct Report {
    steps: Vec<Step>,
}

/// A step that is over.
#[derive(Debug)]
struct Step {
    name: String,
    outcome: Outcome,
    took: Duration,
}

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// All was well.
    Ok,
    /// Something is to be mended.
    Failed,
    /// It could not run here.
    Skipped,
}

impl Report {
    /// Runs a step.
    pub(crate) fn step<E>(&mut self, name: impl Into<String>, work: impl FnOnce() -> Result<(), E>)
    where
        E: Error + 'static,
    {
        let name = name.into();
        say(&format!("\n==> {name}"));
        let begin = Instant::now();
        let result = work();
        let took = begin.elapsed();
        let outcome = match result {
            Ok(()) => Outcome::Ok,
            Err(error) => {
                say(&chain(&error));
                Outcome::Failed
            }
        };
        say(&format!("<== {name}: {} in {}", outcome.as_str(), seconds(took)));
        self.steps.push(Step { name, outcome, took });
    }

    /// Notes a step that cannot run here.
    pub(crate) fn skip(&mut self, name: impl Into<String>, reason: &str) {
        let name = name.into();
        say(&format!("\n==> {name}: skipped, {reason}"));
        self.steps.push(Step { name, outcome: Outcome::Skipped, took: Duration::ZERO });
    }

    /// Prints the table; an error if any step failed.
    pub(crate) fn finish(self) -> Result<(), StepsFailed> {
        say(&format!("\n{}", self.table()));
        let mut failed = self.steps.iter().filter(|step| step.outcome == Outcome::Failed);
        match failed.next() {
            None => Ok(()),
            Some(first) => Err(StepsFailed { first: first.name.clone(), others: failed.count() }),
        }
    }

    /// One line a step, in columns.
    fn table(&self) -> String {
        let width = self.steps.iter().map(|step| step.name.len()).max().unwrap_or_default();
        let line =
            |step: &Step| format!("{:width$}  {:7} {:>8}\n", step.name, step.outcome.as_str(), seconds(step.took));
        self.steps.iter().map(line).collect()
    }
}

impl Outcome {
    /// The outcome as the table shows it.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "FAILED",
            Self::Skipped => "skipped",
        }
    }
}

/// At least one step failed.
#[derive(Debug, thiserror::Error)]
#[error("first failure: {first}{}", others_text(*.others))]
pub(crate) struct StepsFailed {
    first: String,
    others: usize,
}

/// How many steps failed beside the first, if any.
fn others_text(others: usize) -> String {
    if others == 0 { String::new() } else { format!(" ({others} more)") }
}

/// Prints a line.
pub(crate) fn say(line: &str) {
    // Whoever closed the pipe wants no more output; the task itself goes on.
    let _ = writeln!(io::stdout().lock(), "{line}");
}

/// An error and what it came from, on one line.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        source = inner.source();
    }
    text
}

/// A duration as the table shows it.
fn seconds(took: Duration) -> String {
    format!("{:.1} s", took.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("outer")]
    struct Outer(#[source] io::Error);

    #[test]
    fn later_steps_run_and_the_first_failure_is_named() {
        let mut report = Report::default();
        let mut ran = Vec::new();
        for (name, works) in [("a", true), ("b", false), ("c", false), ("d", true)] {
            report.step(name, || {
                ran.push(name);
                if works { Ok(()) } else { Err(io::Error::other("broken")) }
            });
        }
        report.skip("e", "not here");
        assert_eq!(ran, ["a", "b", "c", "d"]);
        assert_eq!(report.finish().unwrap_err().to_string(), "first failure: b (1 more)");
    }

    #[test]
    fn nothing_failed() {
        let mut report = Report::default();
        report.step("a", || Ok::<_, io::Error>(()));
        report.skip("b", "not here");
        assert!(report.finish().is_ok());
    }

    #[test]
    fn sources_are_told() {
        assert_eq!(chain(&Outer(io::Error::other("inner"))), "outer: inner");
    }
}
