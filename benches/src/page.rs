//! The page that the results are kept on.

use std::{fmt::Write as _, fs, process::Command, time::SystemTime};

use crate::measure::{self, Measurement};

/// The versions that were built, as Cargo knows them.
const LOCK: &str = include_str!("../../Cargo.lock");

/// Whose versions matter to a reader.
const COMPARED: [&str; 6] = [
    "axum",
    "axum-otel-metrics",
    "axum-prometheus",
    "opentelemetry-instrumentation-tower",
    "opentelemetry_sdk",
    "tokio",
];

/// The results of a run with what they depend on.
pub(crate) fn render(all: &[Measurement], rounds: usize) -> String {
    let mut page =
        "# Performance\n\nWritten by `cargo xtask bench`; the figures are of one machine and one run.\n\n".to_owned();
    for (what, value) in facts(rounds) {
        let _ = writeln!(page, "- {what}: {value}");
    }
    page += "\n*ns* is the time that an event takes one thread while all of them work, the median of all rounds. *Added* is \
             the median\nof its differences to the first stack within each round. Instructions are counted by callgrind, \
             allocations by a\ncounting allocator; neither depends on how busy the machine is.\n";
    let mut rest = all;
    while let Some(first) = rest.first() {
        let (bench, others) = rest.split_at(rest.iter().take_while(|one| one.bench == first.bench).count());
        let _ = write!(page, "\n## {}\n\n{}", first.bench, measure::table(bench));
        rest = others;
    }
    page
}

fn facts(rounds: usize) -> Vec<(&'static str, String)> {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    let date = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let rustc = Command::new("rustc").arg("--version").output();
    let rustc = rustc.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    let versions: Vec<_> =
        COMPARED.iter().map(|name| format!("{name} {}", versions(name).collect::<Vec<_>>().join(" and "))).collect();
    vec![
        ("machine", format!("{}, {cpus} processors", processor().unwrap_or_else(|| "unknown".to_owned()))),
        ("date", date.split('T').next().unwrap_or_default().to_owned()),
        ("built with", format!("{rustc}, profile `measure`")),
        ("versions", versions.join(", ")),
        ("rounds", rounds.to_string()),
    ]
}

fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// Every version of a crate in the lock file.
fn versions(name: &str) -> impl Iterator<Item = &str> {
    let wanted = format!("name = \"{name}\"");
    let entries = LOCK.split("[[package]]").filter(move |entry| entry.lines().any(|line| line == wanted));
    entries.filter_map(|entry| entry.lines().find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"')))
}
