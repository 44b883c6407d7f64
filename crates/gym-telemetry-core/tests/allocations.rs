//! What recorders cost in memory once each of their series has been seen: nothing.
#![cfg(test)]

use std::time::Duration;

use allocation_counter::{AllocationInfo, measure};
use gym_telemetry_conventions::{Dialect, Executor, HealthCheck, Operation, OperationOutcome, Outcome, TokenType};
use gym_telemetry_core::{
    Completed, ConcurrencyMetrics, DriverMetrics, EventLoopMetrics, Failure, GcMetrics, HealthMetrics, LimitName,
    LimitState, ModelCallMetrics, OperationMetrics, RolloutHealth, RolloutMetrics, RolloutSize, SandboxMetrics,
    VerifyMetrics,
};
use opentelemetry::metrics::{Meter, MeterProvider as _};
use opentelemetry_sdk::metrics::SdkMeterProvider;

fn meter() -> Meter {
    SdkMeterProvider::builder().build().meter("test")
}

#[track_caller]
fn allocates_nothing_once_warm(mut events: impl FnMut()) {
    events();
    assert_eq!(measure(|| (0..100).for_each(|_| events())), AllocationInfo::default());
}

#[test]
fn rollouts_and_their_driver() {
    let (driver, rollouts, health) =
        (DriverMetrics::new(&meter()), RolloutMetrics::new(&meter()), HealthMetrics::new(&meter()));
    let mut flagged = RolloutHealth::default();
    flagged.flag(HealthCheck::AgentTurnHollow);
    allocates_nothing_once_warm(|| {
        let resident = driver.offer();
        drop((driver.admitted(Duration::from_millis(3)), resident));
        driver.output_written(Duration::from_micros(250), 1_500);
        driver.materialized(Duration::from_secs(2));
        driver.rollout_completed(RolloutSize::new(2, 7, 3).turns(4));
        drop(rollouts.start());
        rollouts.completed(Completed::scored("math").reward(0.5).masked(true));
        let failure = Failure::new("agent_request_failed").kind("judge:busy").error_type("VerifierTimeoutError");
        rollouts.completed(Completed::failed("math", failure));
        health.evaluated(Outcome::Scored, &flagged);
    });
}

#[test]
fn what_servers_do() {
    let (verify, operations, sandboxes) =
        (VerifyMetrics::new(&meter()), OperationMetrics::new(&meter()), SandboxMetrics::new(&meter()));
    let docker = sandboxes.provider("docker");
    let calls = ModelCallMetrics::new(&meter(), "policy");
    allocates_nothing_once_warm(|| {
        verify.start().succeed();
        drop(verify.start());
        operations.queue(Operation::Verify, Executor::Subprocess).start().end(OperationOutcome::Ok);
        drop(operations.queue(Operation::Verify, Executor::Subprocess));
        let start = docker.start();
        start.retry();
        let sandbox = start.started();
        drop(sandbox.exec());
        sandbox.stop();
        let mut call = calls.start(Dialect::Responses);
        call.chunk();
        call.tokens(TokenType::Output, 300);
        call.finish_reason("stop");
        call.succeed();
        calls.start(Dialect::Responses).fail("upstream_error");
        calls.start(Dialect::Responses).fail("it took 3 s");
    });
}

#[test]
fn what_is_watched() {
    let (concurrency, event_loops, gc) =
        (ConcurrencyMetrics::new(&meter()), EventLoopMetrics::new(&meter()), GcMetrics::new(&meter()));
    let limit = concurrency.limit(LimitName::new("verifier", "subprocesses"));
    let probe = event_loops.probe("server");
    allocates_nothing_once_warm(|| {
        limit.set(LimitState::new(4, 4, 2));
        limit.cancelled();
        limit.timed_out();
        probe.ready();
        probe.ran();
        probe.set_tasks(3);
        gc.start(0);
        gc.stop(0, 10, 0);
    });
}
