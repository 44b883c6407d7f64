//! Measures what this crate costs: beside the system calls that nobody can do without, and beside what people would use
//! instead, on the same processes in interleaved rounds.
//!
//! ```text
//! cargo run --release -p gym-telemetry-procfs --example cost            # everything
//! cargo run --release -p gym-telemetry-procfs --example cost rss pss    # some of it
//! ```

mod idle;
mod large;
mod measure;
mod subjects;
mod targets;

use std::{env, error::Error};

/// Measures something and prints what comes out.
type Part = fn() -> Result<(), Box<dyn Error>>;

/// What can be measured, by name.
const PARTS: [(&str, Part); 5] = [
    ("rss", subjects::rss),
    ("pss", subjects::pss),
    ("tree", subjects::tree),
    ("idle", idle::measure),
    ("large", large::measure),
];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [target, megabytes] = &*arguments
        && targets::run(target, megabytes.parse().unwrap_or_default())
    {
        return Ok(());
    }
    for (name, measure) in PARTS {
        if arguments.is_empty() || arguments.iter().any(|argument| argument == name) {
            measure()?;
        }
    }
    Ok(())
}

/// Says something to the person at the terminal.
#[expect(clippy::print_stdout, reason = "a command speaks to its user")]
fn say(line: &str) {
    println!("{line}");
}
