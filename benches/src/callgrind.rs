//! Counting instructions: steadier than time, on whatever machine.

use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};

/// Two runs that differ by this many events differ by the instructions of those alone.
const FEW: u64 = 1_000;
const MANY: u64 = 21_000;

/// What runs a stack, as the counter knows it.
const RUN: &str = "*subject::Subject::run*";

/// Instructions that one event of a stack takes; none where valgrind is not installed.
///
/// What a process does before that is never quite the same. So a stack that takes but a few of them, all in the calling
/// thread, is counted there and nowhere else.
#[expect(clippy::cast_precision_loss, reason = "thousands of instructions")]
pub(crate) fn instructions(bench: &str, stack: &str, in_caller: bool) -> Result<Option<f64>> {
    let count = |events| count(bench, stack, in_caller, events);
    let (Some(few), Some(many)) = (count(FEW)?, count(MANY)?) else { return Ok(None) };
    let each = (many as f64 - few as f64) / (MANY - FEW) as f64;
    // Some of what a process says of itself cannot be read under valgrind; then there was nothing to count.
    Ok(Some(each).filter(|each| *each >= 1.0))
}

/// Instructions of a process that runs a stack `events` times.
fn count(bench: &str, stack: &str, in_caller: bool, events: u64) -> Result<Option<u64>> {
    let program = std::env::current_exe().context("this program has no path")?;
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    if in_caller {
        command.arg(format!("--toggle-collect={RUN}"));
    }
    command.arg(program);
    command.args(["alone", bench, stack, &events.to_string()]).stdin(Stdio::null());
    let output = match command.output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        output => output.context("cannot run valgrind")?,
    };
    let said = String::from_utf8_lossy(&output.stderr);
    let collected = said.lines().find_map(|line| line.split_once("Collected :"));
    let (_, number) = collected.with_context(|| format!("valgrind counted nothing:\n{said}"))?;
    Ok(Some(number.trim().parse().context("valgrind counted no number")?))
}
