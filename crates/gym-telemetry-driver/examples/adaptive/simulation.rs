//! A driver with an adaptive limit in front of a server that slows down when it has too much to do, in simulated time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use gym_telemetry_core::DriverMetrics;
use gym_telemetry_driver::{AdaptiveLimit, Admission};
use opentelemetry::metrics::{MeterProvider as _, NoopMeterProvider};
use tokio::{task::JoinSet, time};

/// How long a rollout takes as long as the server has no more to do than it can.
const LATENCY: Duration = Duration::from_secs(2);

/// What becomes of a rollout that is too much for the server.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Overload {
    /// All that run share what the server can do, so each takes longer.
    Slows,
    /// It fails, in no time.
    Refuses,
}

/// For how long the server can do how much.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Phase {
    pub(crate) lasts: Duration,
    /// How many rollouts it can run at a time.
    pub(crate) capacity: usize,
}

struct Server {
    overload: Overload,
    capacity: AtomicUsize,
    running: AtomicUsize,
    /// The state of a generator of numbers that look random and are always the same.
    noise: AtomicU64,
}

impl Server {
    async fn run(&self) -> Result<(), ()> {
        let running = self.running.fetch_add(1, Ordering::Relaxed) + 1;
        let load = running as f64 / self.capacity.load(Ordering::Relaxed) as f64;
        let refused = matches!(self.overload, Overload::Refuses) && load > 1.0;
        if !refused {
            time::sleep(LATENCY.mul_f64(load.max(1.0) * self.noise())).await;
        }
        self.running.fetch_sub(1, Ordering::Relaxed);
        if refused { Err(()) } else { Ok(()) }
    }

    /// A factor from 0.95 to 1.05.
    fn noise(&self) -> f64 {
        let next =
            |state: u64| Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
        let state = self.noise.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).unwrap_or_default();
        0.95 + 0.1 * ((state >> 33) as f64 / (1_u64 << 31) as f64)
    }
}

/// Runs the phases with more rollouts than ever fit, and returns the limit at each second.
pub(crate) async fn limits(settings: AdaptiveLimit, overload: Overload, phases: &[Phase]) -> Vec<u64> {
    let server = Arc::new(Server {
        overload,
        capacity: AtomicUsize::new(0),
        running: AtomicUsize::new(0),
        noise: AtomicU64::new(1),
    });
    let metrics = DriverMetrics::new(&NoopMeterProvider::new().meter("simulation"));
    let admission = Admission::new(1, metrics).adaptive(settings);
    let mut rollouts = JoinSet::new();
    let mut limits = Vec::new();
    for phase in phases {
        server.capacity.store(phase.capacity, Ordering::Relaxed);
        while rollouts.len() < 3 * phase.capacity {
            let (server, admission) = (Arc::clone(&server), admission.clone());
            rollouts.spawn(async move {
                while let Ok(permit) = admission.admit().await {
                    match server.run().await {
                        Ok(()) => permit.succeed(),
                        Err(()) => permit.fail(),
                    }
                }
            });
        }
        for _ in 0..phase.lasts.as_secs() {
            time::sleep(Duration::from_secs(1)).await;
            limits.push(admission.state().slots);
        }
    }
    limits
}
