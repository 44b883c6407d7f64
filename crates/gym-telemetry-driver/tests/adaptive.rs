//! The adaptive limit against servers that have too much to do, in simulated time.

#[path = "../examples/adaptive/simulation.rs"]
mod simulation;

use std::time::Duration;

use gym_telemetry_driver::AdaptiveLimit;
use simulation::{Overload, Phase, limits};

/// The limits of the last third of a phase.
async fn settled(overload: Overload, capacity: usize) -> Vec<u64> {
    let phase = Phase { lasts: Duration::from_secs(3_000), capacity };
    let mut limits = limits(AdaptiveLimit::between(4, 400), overload, &[phase]).await;
    limits.split_off(limits.len() * 2 / 3)
}

/// Whether a limit is within a fifth of the capacity.
fn is_near(limit: u64, capacity: usize) -> bool {
    let ratio = limit as f64 / capacity as f64;
    (0.8..=1.2).contains(&ratio)
}

#[tokio::test(start_paused = true)]
async fn settles_near_the_capacity_of_a_server_that_slows_down() {
    for capacity in [20, 40, 80] {
        let limits = settled(Overload::Slows, capacity).await;
        assert!(limits.iter().all(|limit| is_near(*limit, capacity)), "{capacity}: {limits:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn settles_near_the_capacity_of_a_server_that_refuses() {
    for capacity in [20, 40, 80] {
        let limits = settled(Overload::Refuses, capacity).await;
        assert!(limits.iter().all(|limit| is_near(*limit, capacity)), "{capacity}: {limits:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn follows_a_capacity_that_changes() {
    let phase = |capacity| Phase { lasts: Duration::from_secs(1_000), capacity };
    let limits = limits(AdaptiveLimit::between(4, 400), Overload::Slows, &[phase(40), phase(20), phase(60)]).await;
    for (second, capacity) in [(999, 40), (1_999, 20), (2_999, 60)] {
        assert!(is_near(limits[second], capacity), "{} after {second} s, not about {capacity}", limits[second]);
    }
}
