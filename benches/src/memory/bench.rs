use anyhow::Result;

use super::{idle, large, processes, trees};
use crate::bench::{Bench, Findings};

/// The benchmark.
pub(crate) const BENCH: Bench =
    Bench { name: "memory", compared: &["procfs", "sysinfo"], subjects: || Ok(Vec::new()), more: Some(more) };

fn more(rounds: usize) -> Result<Findings> {
    let parts = [processes::rss, processes::pss_of_small, processes::pss_of_30_mb, trees::tree, trees::rss];
    let compared = parts.into_iter().map(|part| part(rounds));
    compared.chain([idle::measure as fn(usize) -> _, large::measure].into_iter().map(|part| part(rounds))).collect()
}
