use std::fmt::Write as _;

use anyhow::Result;
use serde::Serialize;

use super::{
    load::{Brought, Tool},
    stacks,
};
use crate::{
    bench::{Bench, Findings},
    child::Child,
    measure::median,
    tell,
};

/// The benchmark.
pub(crate) const BENCH: Bench = Bench {
    name: "server",
    compared: &["axum", "hyper", "hyper-util", "tokio"],
    subjects: || Ok(Vec::new()),
    more: Some(findings),
};

/// One server under one load.
#[derive(Debug, Serialize)]
struct Row {
    bench: &'static str,
    stack: &'static str,
    load: &'static str,
    requests_per_second: f64,
    /// What part it is of that of the bare server.
    relative_rate: f64,
    p50_us: f64,
    p99_us: f64,
    relative_p99: f64,
}

/// Puts load on each server in turn, round by round.
fn findings(rounds: usize) -> Result<Findings> {
    let servers: Vec<_> = stacks::ALL.iter().map(|name| Child::start(name)).collect::<Result<_>>()?;
    let (mut rows, mut missing) = (Vec::new(), String::new());
    for tool in Tool::ALL {
        if !tool.is_installed() {
            let _ = writeln!(missing, "\n`{}` is not installed: nothing is known of its load.", tool.program());
            continue;
        }
        tell(&format!("server: {rounds} rounds of {}", tool.load()));
        rows.extend(measure(tool, &servers, rounds)?);
    }
    let json = rows.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    Ok(Findings { text: table(&rows) + &missing, json })
}

fn measure(tool: Tool, servers: &[Child], rounds: usize) -> Result<Vec<Row>> {
    let mut brought: Vec<Vec<Brought>> = vec![Vec::new(); servers.len()];
    for round in 0..rounds {
        // Every other round runs backwards, so that no server always follows the same one.
        for turn in 0..servers.len() {
            let index = if round % 2 == 0 { turn } else { servers.len() - 1 - turn };
            brought[index].push(tool.run(servers[index].address())?);
        }
    }
    let row = |(stack, of_stack): (&&'static str, &Vec<Brought>)| {
        let of = |figure: fn(&Brought) -> f64| median(of_stack.iter().map(figure));
        let beside = |figure: fn(&Brought) -> f64| {
            median(of_stack.iter().zip(&brought[0]).map(|(own, bare)| figure(own) / figure(bare)))
        };
        Row {
            bench: BENCH.name,
            stack,
            load: tool.load(),
            requests_per_second: of(|one| one.requests_per_second),
            relative_rate: beside(|one| one.requests_per_second),
            p50_us: of(|one| one.p50_us),
            p99_us: of(|one| one.p99_us),
            relative_p99: beside(|one| one.p99_us),
        }
    };
    Ok(stacks::ALL.iter().zip(&brought).map(row).collect())
}

fn table(rows: &[Row]) -> String {
    let mut text =
        "Each server is a process with one working thread. What it brings is compared with the first, within \
                    each round.\n\n\
                    | server | load | requests a second | rate | p50 µs | p99 µs | × |\n\
                    | --- | --- | --: | --: | --: | --: | --: |\n"
            .to_owned();
    for row in rows {
        let Row { stack, load, requests_per_second, p50_us, p99_us, relative_p99, .. } = row;
        let rate = row.relative_rate * 100.0;
        let _ = writeln!(
            text,
            "| {stack} | {load} | {requests_per_second:.0} | {rate:.1} % | {p50_us:.0} | {p99_us:.0} | {relative_p99:.3} |"
        );
    }
    text
}
