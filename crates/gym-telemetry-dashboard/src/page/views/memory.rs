use gym_telemetry_conventions::{MemoryType, attributes, metrics};

use crate::{
    history::Over,
    page::{
        ask::{Asked, Scene},
        panel::{Content, Panel, Series},
    },
};

pub(super) fn panels(scene: &Scene<'_>) -> Vec<Panel> {
    let rss = "Resident memory of each server with its descendants; pages that several share count for each. Lines that \
               lie far above have their value beside their name alone.";
    let pss = "Proportional memory of each server with its descendants; pages that several share are divided up.";
    let process = scene.ask(&metrics::PROCESS_MEMORY_USAGE).by_process().over(Over::Sum).chart();
    let process = Panel::new("By process", "Resident memory, as each process says of itself.", Content::Lines(process));
    let peak = of_servers(scene.ask(&metrics::SERVER_MEMORY_SAMPLED_PEAK), MemoryType::Rss).chart();
    let help = "The largest resident memory that any sample of each server has shown.";
    vec![
        now(scene),
        stack(scene, "Servers, resident", rss, MemoryType::Rss),
        stack(scene, "Servers, proportional", pss, MemoryType::Pss),
        process,
        Panel::new("Peaks", help, Content::Lines(peak)),
    ]
}

fn now(scene: &Scene<'_>) -> Panel {
    let host = [
        ("host, in use", &metrics::HOST_MEMORY_USAGE),
        ("host, available", &metrics::HOST_MEMORY_AVAILABLE),
        ("host, in all", &metrics::HOST_MEMORY_TOTAL),
        ("host, sampled peak", &metrics::HOST_MEMORY_SAMPLED_PEAK),
    ];
    let mut items: Vec<_> = host.map(|(label, metric)| scene.ask(metric).over(Over::Max).number(label)).into();
    let container = [
        ("container, in use", &metrics::CONTAINER_MEMORY_USAGE),
        ("container, limit", &metrics::CONTAINER_MEMORY_LIMIT),
    ];
    items.extend(container.map(|(label, metric)| scene.ask(metric).over(Over::Max).number(label)));
    let servers = scene.ask(&metrics::SERVER_MEMORY_USAGE).over(Over::Sum);
    let of = |kind: MemoryType| servers.clone().matching(&attributes::MEMORY_TYPE, kind.as_str());
    items.push(of(MemoryType::Rss).number("servers, resident"));
    items.push(of(MemoryType::Pss).number("servers, proportional"));
    let help = "Host, container and servers, as the supervisor samples them.";
    Panel::new("Now", help, Content::Numbers { items }).wide()
}

/// The servers upon each other, with the host and the container to compare them to.
fn stack(scene: &Scene<'_>, title: &str, help: &str, kind: MemoryType) -> Panel {
    let mut chart = of_servers(scene.ask(&metrics::SERVER_MEMORY_USAGE), kind).chart();
    let around = [
        ("host, in use", scene.ask(&metrics::HOST_MEMORY_USAGE)),
        ("host, in all", scene.ask(&metrics::HOST_MEMORY_TOTAL)),
        ("container, in use", scene.ask(&metrics::CONTAINER_MEMORY_USAGE)),
        ("container, limit", scene.ask(&metrics::CONTAINER_MEMORY_LIMIT)),
    ];
    chart.limits = around
        .into_iter()
        .flat_map(|(label, asked)| {
            let series = asked.over(Over::Max).chart().series;
            series.into_iter().map(|series| Series { label: label.to_owned(), ..series })
        })
        .collect();
    Panel::new(title, help, Content::Stack(chart))
}

fn of_servers(asked: Asked<'_>, kind: MemoryType) -> Asked<'_> {
    let kind = kind.as_str();
    asked.matching(&attributes::MEMORY_TYPE, kind).by(&attributes::SERVER_NAME).over(Over::Sum)
}
