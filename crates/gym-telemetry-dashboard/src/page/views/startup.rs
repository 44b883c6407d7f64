use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use gym_telemetry_conventions::{StartupStage, attributes, metrics};

use crate::{
    history::Select,
    page::{
        ask::{PROCESS, Scene},
        panel::{Content, Panel, Span, Timeline, TimelineRow},
        text::shown,
    },
};

/// A start may lie as far back as the history reaches.
const REACH: Duration = Duration::from_secs(24 * 3600);

/// The stage that ends when a server in Rust begins to accept.
const LAST: &str = "accept";

/// One stage of one process: its place in the order, its name, its length, and the link to it.
type Stage = (usize, String, f64, String);

pub(super) fn panels(scene: &Scene<'_>) -> Vec<Panel> {
    let asked = scene.ask(&metrics::SERVER_STARTUP_STAGE_DURATION_MS).by_process().by(&attributes::STARTUP_STAGE);
    let asked = asked.select(Select::Sum).since(REACH);
    let mut processes = BTreeMap::<String, Vec<Stage>>::new();
    for (labels, length) in asked.totals() {
        let process = labels.get(PROCESS).map(|id| scene.names.get(id)).unwrap_or_default();
        let stage = labels.get(attributes::STARTUP_STAGE.key).map(|stage| shown(stage)).unwrap_or_default();
        processes.entry(process).or_default().push((place(&stage), stage, length, asked.link_to(&labels)));
    }
    let stages: BTreeSet<_> = processes.values().flatten().map(|(place, stage, ..)| (*place, stage.clone())).collect();
    let stages = stages.into_iter().map(|(_, stage)| stage).collect();
    let rows = processes.into_iter().map(|(label, stages)| TimelineRow { label, spans: spans(stages) }).collect();
    let help = "From the start of each process until it accepts connections, stage after stage.";
    vec![Panel::new("Start-up", help, Content::Timeline(Timeline { unit: "ms", stages, rows })).wide()]
}

/// When a stage comes: the start of the process first, then as the conventions have it, then what servers name
/// themselves, and what ends as they begin to accept last.
fn place(stage: &str) -> usize {
    let known = StartupStage::TEXTS;
    match stage {
        _ if stage == StartupStage::ProcessStart.as_str() => 0,
        LAST => known.len() + 2,
        _ if stage == StartupStage::UvicornStartup.as_str() => known.len() + 2,
        _ => known.iter().position(|known| *known == stage).unwrap_or(known.len()) + 1,
    }
}

/// Stages one after the other.
fn spans(mut stages: Vec<Stage>) -> Vec<Span> {
    stages.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    let mut end = 0.0;
    let span = |(_, label, length, query): Stage| {
        let from = end;
        end += length;
        Span { label, from, to: end, query }
    };
    stages.into_iter().map(span).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_stand_in_order_without_gaps() {
        let stage = |name: &str, length| (place(name), name.to_owned(), length, String::new());
        let stages = [("accept", 8.0), ("bind", 1.0), ("load_config", 2.0), ("process_start", 4.0)];
        let spans = spans(stages.map(|(name, length)| stage(name, length)).into());
        let seen: Vec<_> = spans.iter().map(|span| (span.label.as_str(), span.from, span.to)).collect();
        let expected =
            [("process_start", 0.0, 4.0), ("load_config", 4.0, 6.0), ("bind", 6.0, 7.0), ("accept", 7.0, 15.0)];
        assert_eq!(seen, expected);
    }
}
