use std::collections::BTreeMap;

use gym_telemetry_conventions::{RequestPhase, attributes, metrics, resource};

use crate::{
    history::{Over, Process, ProcessState, Select},
    page::{
        ask::{Asked, PROCESS, Scene, server},
        findings::is_error,
        panel::{Cell, Column, Content, Panel, Row, Table, latest},
    },
};

/// A column of numbers: its head, its question, and the answer for each process.
struct Numbers<'a> {
    column: Column,
    asked: Asked<'a>,
    values: BTreeMap<String, f64>,
}

/// A row for each process.
pub(super) fn panel(scene: &Scene<'_>) -> Panel {
    let numbers = numbers(scene);
    let heads = ["server", "pid", "state"].map(|label| Column::new(label, ""));
    let row = |process: &Process| {
        let gone = process.state == ProcessState::Gone;
        let pid = process.resource.int(resource::PROCESS_PID).map(|pid| pid.to_string()).unwrap_or_default();
        let words = [server(process), pid, if gone { "gone" } else { "reporting" }.to_owned()].map(Cell::text);
        let id = process.id.to_string();
        let numbers = numbers.iter().map(|Numbers { asked, values, .. }| {
            Cell::number(values.get(&id).copied(), asked.clone().matching_key(PROCESS, &id).link())
        });
        Row { gone, cells: words.into_iter().chain(numbers).collect() }
    };
    let mut rows: Vec<_> = scene.processes.iter().map(row).collect();
    rows.sort_by_key(|row| row.gone);
    let columns = heads.into_iter().chain(numbers.into_iter().map(|numbers| numbers.column)).collect();
    let help = "Each process at its latest export; those that are gone come last.";
    Panel::new("Servers", help, Content::Table(Table { columns, rows })).wide()
}

fn numbers<'a>(scene: &'a Scene<'_>) -> Vec<Numbers<'a>> {
    let column = |label, unit: &str, asked: Asked<'a>| {
        let values = asked.latest_by();
        Numbers { column: Column::new(label, unit), asked, values }
    };
    let cancelled = |phase: RequestPhase| {
        let asked = scene.ask(&metrics::SERVER_REQUESTS_CANCELLED_TOTAL).by_process();
        asked.matching(&attributes::REQUEST_PHASE, phase.as_str()).rate().now()
    };
    let lag = scene.ask(&metrics::EVENT_LOOP_LAG_MS).by_process().select(Select::Quantile(0.99)).gathered();
    let memory = scene.ask(&metrics::PROCESS_MEMORY_USAGE).by_process().over(Over::Sum).now();
    vec![
        column("in flight", "1", scene.ask(&metrics::SERVER_REQUESTS_IN_FLIGHT).by_process().now()),
        column("responses", "1/s", scene.ask(&metrics::SERVER_RESPONSES_TOTAL).by_process().rate().now()),
        errors(scene),
        column("cancelled before response", "1/s", cancelled(RequestPhase::BeforeResponseStart)),
        column("cancelled after", "1/s", cancelled(RequestPhase::ResponseStarted)),
        column("lag p99", "ms", lag),
        column("memory", "By", memory),
        column("processor", "s/s", scene.ask(&metrics::PROCESS_CPU_TIME).by_process().rate().now()),
    ]
}

/// The responses that are errors of the server, whatever their status.
fn errors<'a>(scene: &'a Scene<'_>) -> Numbers<'a> {
    let status = &attributes::HTTP_RESPONSE_STATUS_CODE;
    let asked = scene.ask(&metrics::SERVER_RESPONSES_TOTAL).by_process().by(status).rate().now();
    let mut values = BTreeMap::new();
    for line in asked.lines().1 {
        let (Some(process), Some(code)) = (line.labels.get(PROCESS), line.labels.get(status.key)) else { continue };
        let Some(rate) = latest(&line.values) else { continue };
        let rate = if is_error(code) { rate } else { 0.0 };
        *values.entry(process.clone()).or_insert(0.0) += rate;
    }
    Numbers { column: Column::new("errors", "1/s"), asked, values }
}
