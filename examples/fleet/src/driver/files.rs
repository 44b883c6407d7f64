use std::{
    collections::HashSet,
    fs,
    io::{BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use gym_telemetry::{
    DriverMetrics,
    driver::{Materialized, OutputWriter},
};
use serde_json::Value;

/// Where the results of a run go.
#[derive(Debug)]
pub(crate) struct Files {
    pub(crate) rollouts: OutputWriter,
    pub(crate) failures: OutputWriter,
    /// Task and repetition of what the output held before.
    done: HashSet<(u64, u64)>,
}

impl Files {
    /// Opens the output and the failures file beside it, and sees what the output holds already.
    pub(crate) fn open(output: &Path, metrics: &DriverMetrics) -> Result<Self> {
        let rollouts = OutputWriter::open(output, metrics.clone())?;
        let failures = OutputWriter::open(failures_beside(output), metrics.clone())?;
        let done = done(output).with_context(|| format!("cannot read {}", output.display()))?;
        Ok(Self { rollouts, failures, done })
    }

    /// Whether the output held a result of this row before the run.
    pub(crate) fn has(&self, row: &Materialized) -> bool {
        self.done.contains(&(row.task, row.rollout))
    }
}

/// A folder for a run of its own, beside those of earlier runs.
pub(crate) fn new_folder(parent: &Path) -> Result<PathBuf> {
    fs::create_dir_all(parent).with_context(|| format!("cannot create {}", parent.display()))?;
    for number in 1_u32.. {
        let folder = parent.join(format!("run-{number}"));
        match fs::create_dir(&folder) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            made => {
                made.with_context(|| format!("cannot create {}", folder.display()))?;
                return Ok(folder);
            }
        }
    }
    anyhow::bail!("{} holds more runs than can be counted", parent.display())
}

/// `NAME_failures.jsonl` for `NAME.jsonl`.
fn failures_beside(output: &Path) -> PathBuf {
    let mut name = output.file_stem().unwrap_or_default().to_owned();
    name.push("_failures.jsonl");
    output.with_file_name(name)
}

fn done(output: &Path) -> std::io::Result<HashSet<(u64, u64)>> {
    let mut done = HashSet::new();
    let file = fs::File::open(output)?;
    // Devices have no length, and some no end.
    let length = file.metadata()?.len();
    for line in BufReader::new(file.take(length)).lines() {
        // A line that is no result of ours is nobody's business.
        let row: Value = serde_json::from_str(&line?).unwrap_or_default();
        done.extend(row["_ng_task_index"].as_u64().zip(row["_ng_rollout_index"].as_u64()));
    }
    Ok(done)
}
