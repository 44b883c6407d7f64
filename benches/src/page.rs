//! The page that the results are kept on: a section for each benchmark, as it was last run.

use std::{fmt::Write as _, fs, process::Command, time::SystemTime};

use crate::bench::{Bench, Findings};

/// The versions that were built, as Cargo knows them.
const LOCK: &str = include_str!("../../Cargo.lock");

/// What stands above all sections.
const HEAD: &str = "\
# Performance

Written by `cargo xtask bench`, section by section; the figures of a section are of one machine and one run.

*ns* is the time that an event takes one thread while all of them work, the median of all rounds. *Added* is the median
of its differences within each round to the stack above which it is named, and *rate* the median of how many events it
brings for a hundred of that one. Instructions are counted by callgrind, allocations by a counting allocator; neither
depends on how busy the machine is.
";

/// What a section begins with, before its name.
const SECTION: &str = "\n## ";

/// Sets the section of a benchmark into a page, in the order of `all`; the others stay as they are.
pub(crate) fn update(page: &str, all: &[Bench], bench: &Bench, findings: &Findings, rounds: usize) -> String {
    let fresh = section(bench, findings, rounds);
    let sections: Vec<_> = page.split(SECTION).skip(1).collect();
    let kept = |name: &str| sections.iter().find(|section| section.lines().next() == Some(name)).copied();
    let in_order = all.iter().filter_map(|one| if one.name == bench.name { Some(&*fresh) } else { kept(one.name) });
    in_order.fold(HEAD.to_owned(), |page, section| page + SECTION + section.trim_end() + "\n")
}

fn section(bench: &Bench, findings: &Findings, rounds: usize) -> String {
    let mut text = format!("{}\n\n", bench.name);
    for (what, value) in facts(bench, rounds) {
        let _ = writeln!(text, "- {what}: {value}");
    }
    text + "\n" + &findings.text
}

fn facts(bench: &Bench, rounds: usize) -> [(&'static str, String); 6] {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    let date = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let rustc = Command::new("rustc").arg("--version").output();
    let rustc = rustc.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    let version = |name: &&str| format!("{name} {}", versions(name).collect::<Vec<_>>().join(" and "));
    [
        ("command", format!("`cargo xtask bench {}`", bench.name)),
        ("machine", format!("{}, {cpus} processors", processor().unwrap_or_else(|| "unknown".to_owned()))),
        ("date", date.split('T').next().unwrap_or_default().to_owned()),
        ("built with", format!("{rustc}, profile `measure`")),
        ("versions", bench.compared.iter().map(version).collect::<Vec<_>>().join(",\n  ")),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn bench(name: &'static str) -> Bench {
        Bench { name, compared: &["tokio"], subjects: || Ok(Vec::new()), more: None }
    }

    #[test]
    fn a_section_is_replaced_and_the_others_stay() {
        let all = [bench("one"), bench("two"), bench("three")];
        let found = |text: &str| Findings { text: text.to_owned(), json: Vec::new() };
        let mut page = String::new();
        for (index, text) in [(2, "| third |"), (0, "| first |"), (1, "| second |"), (0, "| again |\n")] {
            page = update(&page, &all, &all[index], &found(text), 5);
        }
        let order = ["# Perf", "## one", "| again |", "## two", "| second |", "## three", "| third |"];
        let places: Vec<_> = order.iter().map(|text| page.find(text)).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{page}");
        assert!(!page.contains("first") && page.ends_with("| third |\n") && !page.contains("\n\n\n"), "{page}");
    }
}
