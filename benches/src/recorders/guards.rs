//! Ours that time something, beside a clock that is read as often.

use std::{hint::black_box, time::Instant};

use gym_telemetry::{
    EventLoopMetrics, GcMetrics, HttpClientMetrics, HttpMethod, HttpScheme, HttpVersion, ModelCallMetrics,
    OperationMetrics, PoolMetrics, RolloutMetrics, SandboxMetrics, VerifyMetrics,
    conventions::{Dialect, Executor, Operation, OperationOutcome, QueueConstraint, TokenType},
};

use super::subjects::{each, meter};
use crate::subject::Subject;

const CLOCK: &str = "clock read twice";

pub(super) fn subjects() -> Vec<Subject> {
    let verify = VerifyMetrics::new(&meter());
    let rollouts = RolloutMetrics::new(&meter());
    let operations = OperationMetrics::new(&meter());
    let event_loops = EventLoopMetrics::new(&meter());
    let probe = event_loops.probe("server");
    let gc = GcMetrics::new(&meter());
    let mut all = vec![
        each("ours: verification, timed", move |_| verify.start().succeed()),
        each("ours: rollout, timed", move |_| drop(rollouts.start())),
        each("ours: operation queued, run, ended (two samples)", move |_| {
            let running = operations.queue(Operation::Verify, Executor::Subprocess).start();
            running.end(OperationOutcome::Ok);
        }),
        each("ours: lag of an event loop", move |_| {
            let _kept = &event_loops;
            probe.ready();
            black_box(probe.ran());
        }),
        each("ours: garbage collection", move |_| {
            gc.start(0);
            gc.stop(0, 700, 0);
        }),
    ];
    all.extend(sandboxes());
    all.extend(model_calls());
    all.extend(connections());
    let clock = each(CLOCK, |_| {
        let since = Instant::now();
        black_box(since.elapsed());
    });
    [clock].into_iter().chain(all.into_iter().map(|subject| subject.above(CLOCK))).collect()
}

fn sandboxes() -> Vec<Subject> {
    let metrics = SandboxMetrics::new(&meter());
    let provider = metrics.provider("docker");
    let sandbox = provider.adopt();
    let commands = metrics.clone();
    vec![
        each("ours: sandbox started and stopped", move |_| {
            let _kept = &metrics;
            provider.start().started().stop();
        }),
        each("ours: command in a sandbox", move |_| {
            let _kept = &commands;
            drop(sandbox.exec());
        }),
    ]
}

fn model_calls() -> Vec<Subject> {
    let [bare, told, failed] = [(); 3].map(|()| ModelCallMetrics::new(&meter(), "policy_model"));
    vec![
        each("ours: model call", move |_| bare.start(Dialect::ChatCompletions).succeed()),
        each("ours: streamed model call, tokens told (four samples)", move |number| {
            let mut call = told.start(Dialect::ChatCompletions);
            call.chunk();
            call.tokens(TokenType::Input, number & 0xfff);
            call.tokens(TokenType::Output, number & 0x3ff);
            call.finish_reason("stop");
            call.succeed();
        }),
        each("ours: model call that fails", move |_| failed.start(Dialect::ChatCompletions).fail("upstream_error")),
    ]
}

fn connections() -> Vec<Subject> {
    let pool = PoolMetrics::new(&meter());
    let recorder = pool.recorder();
    let (waits, opens) = (recorder.destination("policy_model"), recorder.destination("policy_model"));
    let kept = pool.clone();
    let http = HttpClientMetrics::new(&meter());
    let client = http.recorder();
    vec![
        each("ours: wait for a slot", move |_| {
            let _kept = &pool;
            waits.queue(QueueConstraint::PerHost).granted();
        }),
        each("ours: connection opened", move |_| {
            let _kept = &kept;
            opens.connect().succeed();
        }),
        each("ours: outbound call by the conventions of HTTP", move |_| {
            let _kept = &http;
            let mut call = client.begin(HttpMethod::Post, HttpScheme::Http, Some(("127.0.0.1", 8000)));
            call.respond(200, HttpVersion::Http11);
        }),
    ]
}
