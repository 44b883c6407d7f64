use std::{
    io::{self, Write},
    time::Duration,
};

use gym_telemetry::MemorySample;
use gym_telemetry_collector::Snapshot;

use super::{
    models::model_calls,
    resources::{limits, operations, sandboxes},
    rollouts::{health, outcomes, sizes, times},
    servers::{memory, requests, startup},
    waits::{loops, pools},
};
use crate::{cli::Options, paths::Paths, supervisor::Ended};

/// Everything that a summary is made of.
#[derive(Debug)]
pub(crate) struct Summary<'a> {
    pub(crate) state: &'a Snapshot,
    pub(crate) ended: &'a [Ended],
    pub(crate) memory: Option<&'a MemorySample>,
    pub(crate) took: Duration,
    pub(crate) paths: &'a Paths,
    /// How many rollouts failed, and why most of them.
    pub(crate) failed: Option<String>,
    pub(crate) options: &'a Options,
}

/// Writes the summary of a run to where the command's result goes.
pub(crate) fn print(summary: &Summary<'_>, out: &mut impl Write) -> io::Result<()> {
    let state = summary.state;
    let sections = [
        outcomes(state),
        health(state),
        times(state),
        sizes(state),
        model_calls(state),
        operations(state),
        sandboxes(state),
        limits(state),
        requests(summary.ended),
        pools(state),
        loops(state),
        memory(summary.memory),
        startup(state),
    ];
    for section in sections.into_iter().filter(|table| table.row_count() > 0) {
        writeln!(out, "{section}\n")?;
    }
    writeln!(out, "took      {:.1} s", summary.took.as_secs_f64())?;
    writeln!(out, "rollouts  {}", summary.paths.output.display())?;
    if let Some(failed) = &summary.failed {
        writeln!(out, "failures  {}: {failed}", summary.paths.failures.display())?;
    }
    if let Some(path) = &summary.options.metrics_json {
        writeln!(out, "metrics   {}", path.display())?;
    }
    out.flush()
}
