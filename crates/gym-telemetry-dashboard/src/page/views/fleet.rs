use gym_telemetry_conventions::{attributes, metrics};

use super::{findings, servers, waits};
use crate::{
    history::{Over, Select},
    page::{
        ask::Scene,
        findings::brief,
        panel::{Content, Number, Panel},
    },
};

pub(super) fn panels(scene: &Scene<'_>) -> Vec<Panel> {
    vec![now(scene), findings::panel(brief(scene)), waits::panel(scene), servers::panel(scene)]
        .into_iter()
        .chain(over_time(scene))
        .collect()
}

/// The fleet in a few numbers.
fn now(scene: &Scene<'_>) -> Panel {
    let responses = scene.ask(&metrics::SERVER_RESPONSES_TOTAL).rate();
    let items = vec![
        Number::plain("processes reporting", Some(count(scene.reporting())), "1"),
        scene.ask(&metrics::SERVER_REQUESTS_IN_FLIGHT).number("requests in flight"),
        responses.number("responses"),
        scene.ask(&metrics::SERVER_REQUESTS_CANCELLED_TOTAL).rate().number("cancelled"),
        scene.ask(&metrics::SERVER_REQUESTS_UNHANDLED_EXCEPTIONS_TOTAL).number("unhandled so far"),
        scene.ask(&metrics::DRIVER_ROLLOUTS_ACTIVE).number("rollouts running"),
        scene.ask(&metrics::ROLLOUT_COMPLETED_TOTAL).number("rollouts completed"),
    ];
    Panel::new("Now", "All servers together, at the latest export.", Content::Numbers { items }).wide()
}

fn over_time(scene: &Scene<'_>) -> [Panel; 6] {
    let in_flight = scene.ask(&metrics::SERVER_REQUESTS_IN_FLIGHT).by_process();
    let responses = scene.ask(&metrics::SERVER_RESPONSES_TOTAL).by_process().rate();
    let cancelled = scene.ask(&metrics::SERVER_REQUESTS_CANCELLED_TOTAL).by(&attributes::REQUEST_PHASE).rate();
    let statuses = scene.ask(&metrics::SERVER_RESPONSES_TOTAL).by(&attributes::HTTP_RESPONSE_STATUS_CODE).rate();
    let lag = scene.ask(&metrics::EVENT_LOOP_LAG_MS).by_process().select(Select::Quantile(0.99)).gathered();
    let memory = scene.ask(&metrics::PROCESS_MEMORY_USAGE).by_process().over(Over::Sum);
    let lines = |title: &str, help: &str, chart| Panel::new(title, help, Content::Lines(chart));
    [
        lines("Requests in flight", "Received, and not yet answered to the end, by process.", in_flight.chart()),
        lines("Responses", "Responses begun each second, by process.", responses.chart()),
        Panel::new("Responses by status", "Responses of all servers each second.", Content::Stack(statuses.chart())),
        Panel::new(
            "Cancellations by phase",
            "Requests whose client went away before or after the response began, of all servers each second.",
            Content::Stack(cancelled.chart()),
        ),
        lines("Event loop lag", "Of a hundred ready tasks, 99 run within this time, by process.", lag.chart()),
        lines("Resident memory", "What each process says of itself.", memory.chart()),
    ]
}

/// How many, as a number.
fn count(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
