use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use proptest::prelude::*;

use super::*;
use crate::testing::Reader;

const ACTIVE: &str = "gym.sandbox.active";
const DOCKER: &[(&str, &str)] = &[("nemo.gym.sandbox.provider", "docker")];

#[test]
fn a_start_that_fails_leaves_nothing_but_its_retries() {
    let reader = Reader::new();
    let sandboxes = SandboxMetrics::new(&reader.meter());
    let start = sandboxes.provider("docker").start();
    start.retry();
    start.retry();
    drop(start);
    let seen = reader.collect();
    assert_eq!(seen.value("gym.sandbox.create_retry_total", DOCKER), Some(2.0));
    assert_eq!((seen.series(ACTIVE), seen.series("gym.sandbox.startup_duration_ms")), (0, 0));
}

#[test]
fn a_sandbox_whose_upload_fails_is_active_in_between_only() {
    let reader = Reader::new();
    let sandboxes = SandboxMetrics::new(&reader.meter());
    let upload = |_: &Sandbox| Err::<(), _>("no space");
    let run = || {
        let sandbox = sandboxes.provider("docker").start().started();
        assert_eq!(reader.collect().value(ACTIVE, DOCKER), Some(1.0));
        upload(&sandbox)?;
        sandbox.stop();
        Ok::<_, &str>(())
    };
    assert_eq!(run(), Err("no space"));
    let seen = reader.collect();
    assert_eq!(seen.value(ACTIVE, DOCKER), Some(0.0));
    assert_eq!(seen.histogram("gym.sandbox.startup_duration_ms", DOCKER).map(|seen| seen.0), Some(1));
}

#[test]
fn an_adopted_sandbox_is_timed_and_never_subtracted() {
    let reader = Reader::new();
    let sandboxes = SandboxMetrics::new(&reader.meter());
    let docker = sandboxes.provider("docker");
    let own = docker.start().started();
    let adopted = docker.adopt();
    drop(adopted.exec());
    adopted.stop();
    let seen = reader.collect();
    assert_eq!(seen.value(ACTIVE, DOCKER), Some(1.0));
    assert_eq!(seen.histogram("gym.sandbox.exec_duration_ms", DOCKER).map(|seen| seen.0), Some(1));
    own.stop();
    assert_eq!(reader.collect().value(ACTIVE, DOCKER), Some(0.0));
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Start,
    FailStart,
    Retry,
    Started,
    Adopt,
    Exec,
    Stop,
    Panic,
}

fn step() -> impl Strategy<Value = Step> {
    use Step::{Adopt, Exec, FailStart, Panic, Retry, Start, Started, Stop};
    prop_oneof![
        3 => Just(Start), 1 => Just(FailStart), 1 => Just(Retry), 3 => Just(Started),
        1 => Just(Adopt), 2 => Just(Exec), 1 => Just(Stop), 1 => Just(Panic),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Whatever happens to sandboxes, the recorder says what a naive count says.
    #[test]
    fn agrees_with_a_naive_model(steps in prop::collection::vec(step(), 0..60)) {
        let reader = Reader::new();
        let sandboxes = SandboxMetrics::new(&reader.meter());
        let docker = sandboxes.provider("docker");
        let (mut starting, mut held) = (Vec::new(), Vec::new());
        let (mut started, mut execs, mut retries) = (0, 0, 0);
        for step in steps {
            match step {
                Step::Start => starting.push(docker.start()),
                Step::FailStart => drop(starting.pop()),
                Step::Retry => if let Some(start) = starting.last() {
                    start.retry();
                    retries += 1;
                },
                Step::Started => if let Some(start) = starting.pop() {
                    held.push((start.started(), true));
                    started += 1;
                },
                Step::Adopt => held.push((docker.adopt(), false)),
                Step::Exec => if let Some((sandbox, _)) = held.last() {
                    drop(sandbox.exec());
                    execs += 1;
                },
                Step::Stop => if let Some((sandbox, _)) = held.pop() {
                    sandbox.stop();
                },
                Step::Panic => if let Some((sandbox, _)) = held.pop() {
                    let broken = catch_unwind(AssertUnwindSafe(move || {
                        let _command = sandbox.exec();
                        resume_unwind(Box::new("the command broke"));
                    }));
                    prop_assert!(broken.is_err());
                    execs += 1;
                },
            }
        }
        let seen = reader.collect();
        let active = held.iter().filter(|(_, own)| *own).count();
        prop_assert_eq!(seen.value(ACTIVE, DOCKER), (started > 0).then_some(active as f64));
        let samples = |metric: &str| seen.histogram(metric, DOCKER).map_or(0, |seen| seen.0);
        prop_assert_eq!(samples("gym.sandbox.startup_duration_ms"), started);
        prop_assert_eq!(samples("gym.sandbox.exec_duration_ms"), execs);
        prop_assert_eq!(seen.value("gym.sandbox.create_retry_total", DOCKER).unwrap_or(0.0), f64::from(retries));
    }

    /// Whatever providers are called, their series are bounded and no sandbox is lost.
    #[test]
    fn providers_are_bounded(names in prop::collection::vec(".*", 1..100)) {
        let reader = Reader::new();
        let sandboxes = SandboxMetrics::with_provider_limit(&reader.meter(), 10);
        let held: Vec<_> = names.iter().map(|name| sandboxes.provider(name).start().started()).collect();
        let seen = reader.collect();
        prop_assert!(seen.series(ACTIVE) <= 11);
        prop_assert_eq!(seen.total(ACTIVE), names.len() as f64);
        drop(held);
        prop_assert_eq!(reader.collect().total(ACTIVE), 0.0);
    }
}
