//! Ours that record at once.

use gym_telemetry::{
    Completed, ConcurrencyMetrics, DriverMetrics, Failure, HealthMetrics, LimitName, LimitState, PoolMetrics,
    RolloutHealth, RolloutMetrics, RolloutSize, SandboxMetrics, VerifyMetrics,
    conventions::{HealthCheck, Outcome},
};

use super::subjects::{each, meter, sample};
use crate::subject::Subject;

/// What counts, and what is in flight.
pub(super) fn counters() -> Vec<Subject> {
    let attempts = PoolMetrics::new(&meter());
    let destination = attempts.recorder().destination("policy_model");
    let offered = DriverMetrics::new(&meter());
    let resident = offered.clone();
    let called = PoolMetrics::new(&meter());
    let recorder = called.recorder();
    let sandboxes = SandboxMetrics::new(&meter());
    let starting = sandboxes.provider("docker").start();
    let concurrency = ConcurrencyMetrics::new(&meter());
    let limit = concurrency.limit(LimitName::new("verifier", "subprocesses"));
    let mut all = vec![
        each("ours: connection attempt", move |_| {
            let _kept = &attempts;
            destination.attempt();
        }),
        each("ours: retry of a sandbox", move |_| {
            let _kept = &sandboxes;
            starting.retry();
        }),
        each("ours: call in flight, and its end", move |_| {
            let _kept = &called;
            drop(recorder.begin());
        }),
        each("ours: rollout resident, and its end", move |_| drop(offered.offer())),
        each("ours: the same around a future", move |_| drop(resident.resident(std::future::ready(())))),
        each("ours: state of a limit", move |number| {
            let _kept = &concurrency;
            limit.set(LimitState::new(64, number & 63, 0));
        }),
    ];
    all.extend(rollouts());
    all
}

fn rollouts() -> Vec<Subject> {
    let [completed, rewarded, failed] = [(); 3].map(|()| RolloutMetrics::new(&meter()));
    let [healthy, flagged] = [(); 2].map(|()| HealthMetrics::new(&meter()));
    let mut health = RolloutHealth::default();
    health.flag(HealthCheck::ModelCallFailed);
    let failure = Failure::new("agent_request_failed").kind("math:timeout").error_type("VerifierTimeoutError");
    vec![
        each("ours: rollout completed", move |_| completed.completed(Completed::scored("math"))),
        each("ours: rollout completed with a reward", move |number| {
            rewarded.completed(Completed::scored("math").reward([0.0, 0.5, 1.0][(number % 3) as usize]));
        }),
        each("ours: rollout failed, with a reason", move |_| failed.completed(Completed::failed("math", failure))),
        each("ours: healthy rollout", move |_| healthy.evaluated(Outcome::Scored, &RolloutHealth::default())),
        each("ours: flagged rollout", move |_| flagged.evaluated(Outcome::Scored, &health)),
    ]
}

/// What takes a sample, or several.
pub(super) fn samples() -> Vec<Subject> {
    let [admitted, written, materialized, sized] = [(); 4].map(|()| DriverMetrics::new(&meter()));
    let rollouts = RolloutMetrics::new(&meter());
    let verify = VerifyMetrics::new(&meter());
    let size = RolloutSize::new(2, 12, 4).turns(5);
    vec![
        each("ours: duration of a rollout", move |number| rollouts.record_duration(sample(number))),
        each("ours: inputs materialized", move |number| materialized.materialized(sample(number))),
        each("ours: verification", move |number| verify.record(sample(number), number % 8 > 0)),
        each("ours: admission, rollout active, and its end", move |number| drop(admitted.admitted(sample(number)))),
        each("ours: row written (two samples)", move |number| written.output_written(sample(number), number & 0xffff)),
        each("ours: size of a rollout (four samples)", move |_| sized.rollout_completed(size)),
    ]
}
