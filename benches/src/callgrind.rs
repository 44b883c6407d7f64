//! Counting instructions: steadier than time, on whatever machine.

use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};

/// Two runs that differ by this many events differ by the instructions of those alone.
const FEW: u64 = 1_000;
const MANY: u64 = 21_000;

/// Instructions that one event of a stack takes; none where valgrind is not installed.
#[expect(clippy::cast_precision_loss, reason = "thousands of instructions")]
pub(crate) fn instructions(bench: &str, stack: &str) -> Result<Option<f64>> {
    let (Some(few), Some(many)) = (count(bench, stack, FEW)?, count(bench, stack, MANY)?) else { return Ok(None) };
    Ok(Some((many as f64 - few as f64) / (MANY - FEW) as f64))
}

/// Instructions of a whole process that runs a stack `events` times.
fn count(bench: &str, stack: &str, events: u64) -> Result<Option<u64>> {
    let program = std::env::current_exe().context("this program has no path")?;
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program);
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
