//! Who waits for whom.

use std::collections::BTreeMap;

use gym_telemetry_conventions::{Attribute, Instrument, attributes, metrics, resource};

use crate::{
    history::Select,
    page::{
        ask::{Asked, Scene, server},
        panel::{Content, Edge, Graph, Node, Number, Panel, latest},
        text::shown,
    },
};

/// Servers and the calls between them.
pub(super) fn panel(scene: &Scene<'_>) -> Panel {
    let help = "Calls each second between servers; how many of them queue for a connection, and what waits behind \
                the limits of the called one.";
    Panel::new("Who waits for whom", help, Content::Graph(graph(scene))).wide()
}

fn graph(scene: &Scene<'_>) -> Graph {
    let mut names: Vec<_> = scene.processes.iter().map(server).collect();
    let calls = by_edge(scene, &metrics::HTTP_CONNECTION_POOL_CONNECT_TOTAL).rate().now();
    let waits = by_edge(scene, &metrics::HTTP_CONNECTION_POOL_QUEUE_DURATION_MS).select(Select::Count).coarse();
    let all = sums(&by_edge(scene, &metrics::HTTP_CONNECTION_POOL_CONNECT_TOTAL).select(Select::Increase).coarse());
    let waited = sums(&waits);
    let rates = calls.lines().1;
    let edges: Vec<_> = rates.iter().filter_map(|line| Some((ends(&line.labels)?, line))).collect();
    names.extend(edges.iter().flat_map(|((from, to), _)| [from.clone(), to.clone()]));
    names.sort_unstable();
    names.dedup();
    let place = |name: &String| names.binary_search(name).unwrap_or(0);
    let waiting = by_server(&scene.ask(&metrics::RESOURCES_OPERATION_QUEUED));
    let made = edges.iter().map(|((from, to), line)| {
        let rate = Number {
            label: "calls".to_owned(),
            value: latest(&line.values),
            unit: "1/s".to_owned(),
            query: calls.link_to(&line.labels),
        };
        // Nobody who waits is no series at all.
        let [waited, all] = [&waited, &all].map(|totals| totals.get(&line.labels).copied().unwrap_or(0.0));
        let queued = Number {
            label: "queue for a connection".to_owned(),
            value: Some(percent(waited, all)),
            unit: "%".to_owned(),
            query: waits.link_to(&line.labels),
        };
        let behind = waiting.get(to).map(|number| number.clone().called("operations waiting"));
        Edge { from: place(from), to: place(to), numbers: [rate, queued].into_iter().chain(behind).collect() }
    });
    let edges: Vec<_> = made.collect();
    let layers = layers(names.len(), &edges);
    let nodes = nodes(scene, &names, &layers);
    Graph { nodes, edges }
}

fn nodes(scene: &Scene<'_>, names: &[String], layers: &[usize]) -> Vec<Node> {
    let numbers = [
        ("running", by_server(&scene.ask(&metrics::DRIVER_ROLLOUTS_ACTIVE))),
        ("in flight", by_server(&scene.ask(&metrics::SERVER_REQUESTS_IN_FLIGHT))),
        ("calls open", by_server(&scene.ask(&metrics::HTTP_CLIENT_REQUESTS_IN_FLIGHT))),
        ("operations running", by_server(&scene.ask(&metrics::RESOURCES_OPERATION_ACTIVE))),
    ];
    let node = |(name, layer): (&String, &usize)| {
        let numbers = numbers.iter().filter_map(|(label, of)| Some(of.get(name)?.clone().called(*label)));
        Node { name: name.clone(), layer: *layer, numbers: numbers.collect() }
    };
    names.iter().zip(layers).map(node).collect()
}

/// A question about callers and those they call.
fn by_edge<'a>(scene: &'a Scene<'_>, metric: &Instrument) -> Asked<'a> {
    const TO: Attribute = attributes::DESTINATION_SERVER_NAME;
    scene.ask(metric).by_key(resource::SERVER_NAME).by(&TO)
}

/// Who calls whom.
fn ends(labels: &BTreeMap<String, String>) -> Option<(String, String)> {
    let name = |key| labels.get(key).map(|name| shown(name));
    Some((name(resource::SERVER_NAME)?, name(attributes::DESTINATION_SERVER_NAME.key)?))
}

fn sums(asked: &Asked<'_>) -> BTreeMap<BTreeMap<String, String>, f64> {
    asked.totals().into_iter().collect()
}

/// So many of so many; none of none are none. A wait is counted when it ends, its call when it begins.
fn percent(some: f64, all: f64) -> f64 {
    if all > 0.0 { 100.0 * (some / all).min(1.0) } else { 0.0 }
}

/// The latest number of each server.
fn by_server(asked: &Asked<'_>) -> BTreeMap<String, Number> {
    let asked = asked.clone().by_key(resource::SERVER_NAME).now();
    let lines = asked.lines().1.into_iter();
    let number = |line: crate::history::Line| {
        let name = shown(line.labels.get(resource::SERVER_NAME)?);
        let query = asked.link_to(&line.labels);
        Some((name, Number { label: String::new(), value: latest(&line.values), unit: "1".to_owned(), query }))
    };
    lines.filter_map(number).collect()
}

/// How many calls lie between each node and one that nobody calls.
fn layers(nodes: usize, edges: &[Edge]) -> Vec<usize> {
    let mut layers = vec![0; nodes];
    // Longer than any way without a circle; those in one end up somewhere.
    for _ in 1..nodes {
        for Edge { from, to, .. } in edges.iter().filter(|edge| edge.from != edge.to) {
            let next = layers.get(*from).map_or(0, |layer| layer + 1).min(nodes);
            if let Some(layer) = layers.get_mut(*to) {
                *layer = next.max(*layer);
            }
        }
    }
    layers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(from: usize, to: usize) -> Edge {
        Edge { from, to, numbers: Vec::new() }
    }

    #[test]
    fn where_nobody_calls_nobody_waits() {
        assert_eq!([percent(6.0, 10.0), percent(2.0, 1.0), percent(0.0, 0.0)], [60.0, 100.0, 0.0]);
    }

    #[test]
    fn those_who_are_called_come_behind_their_callers() {
        assert_eq!(layers(4, &[edge(1, 2), edge(3, 1), edge(1, 0)]), [2, 1, 2, 0]);
    }

    #[test]
    fn a_circle_ends() {
        let layers = layers(3, &[edge(0, 1), edge(1, 0), edge(2, 2)]);
        assert!(layers.iter().all(|layer| *layer <= 3));
    }
}
