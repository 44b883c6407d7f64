use std::{path::Path, time::Duration};

use gym_telemetry::MemorySample;
use gym_telemetry_collector::Snapshot;

use super::{
    models::model_calls,
    resources::{limits, operations, sandboxes},
    rollouts::{health, outcomes, sizes, times},
    servers::{memory, requests, startup},
    waits::{loops, pools},
};
use crate::{cli::Options, supervisor::Ended};

/// Everything that a summary is made of.
#[derive(Debug)]
pub(crate) struct Summary<'a> {
    pub(crate) state: &'a Snapshot,
    pub(crate) ended: &'a [Ended],
    pub(crate) memory: Option<&'a MemorySample>,
    pub(crate) took: Duration,
    pub(crate) output: &'a Path,
    pub(crate) options: &'a Options,
}

/// Prints the summary of a run on standard output.
#[expect(clippy::print_stdout, reason = "it is the command's result")]
pub(crate) fn print(summary: &Summary<'_>) {
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
        println!("{section}\n");
    }
    println!("took      {:.1} s", summary.took.as_secs_f64());
    println!("rollouts  {}", summary.output.display());
    if let Some(path) = &summary.options.metrics_json {
        println!("metrics   {}", path.display());
    }
}
