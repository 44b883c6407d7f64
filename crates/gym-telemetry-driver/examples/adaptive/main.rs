//! Draws how the adaptive limit finds the capacity of a server: `cargo run --example adaptive > docs/adaptive.svg`.
//!
//! The server slows down when it has too much to do; with the argument `refuses` it refuses instead.

mod chart;
mod simulation;

use std::{
    io::{Write as _, stdout},
    time::Duration,
};

use gym_telemetry_driver::AdaptiveLimit;
use simulation::{Overload, Phase};

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> std::io::Result<()> {
    let phases = [(40, 700), (20, 500), (60, 900)]
        .map(|(capacity, seconds)| Phase { lasts: Duration::from_secs(seconds), capacity });
    let refuses = std::env::args().any(|argument| argument == "refuses");
    let overload = if refuses { Overload::Refuses } else { Overload::Slows };
    let limits = simulation::limits(AdaptiveLimit::between(4, 400), overload, &phases).await;
    let capacities = phases.iter().flat_map(|phase| (0..phase.lasts.as_secs()).map(|_| phase.capacity as u64));
    stdout().write_all(chart::svg(&limits, &capacities.collect::<Vec<_>>()).as_bytes())
}
