use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    thread,
    time::{Duration, Instant},
};

use gym_telemetry_conventions::{Executor, Operation, OperationOutcome};
use proptest::{prelude::*, sample::select};

use super::*;
use crate::testing::{Collected, Reader};

fn levels(seen: &Collected, operation: Operation, executor: Executor) -> [Option<f64>; 2] {
    let attributes =
        [("nemo.gym.resources.operation", operation.as_str()), ("nemo.gym.resources.executor", executor.as_str())];
    ["queued", "active"].map(|level| seen.value(&format!("gym.resources.operation.{level}"), &attributes))
}

/// The number of samples of each outcome.
fn ended(seen: &Collected, operation: Operation, executor: Executor) -> Vec<u64> {
    let count = |outcome: &OperationOutcome| {
        let attributes = [
            ("nemo.gym.resources.operation", operation.as_str()),
            ("nemo.gym.resources.executor", executor.as_str()),
            ("nemo.gym.resources.operation.outcome", outcome.as_str()),
        ];
        seen.histogram("gym.resources.operation.duration_ms", &attributes).map_or(0, |seen| seen.0)
    };
    OperationOutcome::ALL.iter().map(count).collect()
}

#[test]
fn nothing_is_reported_before_the_first_operation_and_zero_after_the_last() {
    let reader = Reader::new();
    let operations = OperationMetrics::new(&reader.meter());
    assert!(reader.collect().is_empty());
    drop(operations.queue(Operation::Judge, Executor::Inline));
    let seen = reader.collect();
    assert_eq!(levels(&seen, Operation::Judge, Executor::Inline), [Some(0.0), Some(0.0)]);
    assert_eq!(seen.series("gym.resources.operation.queue_duration_ms"), 0);
    assert_eq!(seen.series("gym.resources.operation.active"), 1);
}

#[test]
fn a_wait_is_no_part_of_the_run() {
    const WAIT: Duration = Duration::from_millis(20);
    let reader = Reader::new();
    let operations = OperationMetrics::new(&reader.meter());
    let waiting = operations.queue(Operation::Verify, Executor::Process);
    thread::sleep(WAIT);
    let began = Instant::now();
    let running = waiting.start();
    thread::sleep(WAIT);
    running.end(OperationOutcome::Ok);
    let run = began.elapsed();

    let seen = reader.collect();
    let of = [("nemo.gym.resources.operation", "verify"), ("nemo.gym.resources.executor", "process")];
    let ok = [&of[..], &[("nemo.gym.resources.operation.outcome", "ok")]].concat();
    let sum = |metric: &str, of: &[_]| seen.histogram(&format!("gym.resources.operation.{metric}"), of).unwrap().1;
    let millis = |duration: Duration| duration.as_secs_f64() * 1e3;
    assert!(sum("queue_duration_ms", &of) >= millis(WAIT));
    assert!((millis(WAIT)..=millis(run)).contains(&sum("duration_ms", &ok)));
}

#[test]
fn an_operation_that_begins_during_a_panic_is_not_crashed_by_it() {
    struct CleansUp<'a>(&'a OperationMetrics);
    impl Drop for CleansUp<'_> {
        fn drop(&mut self) {
            drop(self.0.queue(Operation::Tool, Executor::Thread).start());
        }
    }
    let reader = Reader::new();
    let operations = OperationMetrics::new(&reader.meter());
    let unwound = catch_unwind(AssertUnwindSafe(|| {
        let _cleanup = CleansUp(&operations);
        resume_unwind(Box::new("something else broke"));
    }));
    assert!(unwound.is_err());
    assert_eq!(ended(&reader.collect(), Operation::Tool, Executor::Thread), [0, 0, 0, 1, 0]);
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Queue(Operation, Executor),
    Start,
    GiveUp,
    End(OperationOutcome),
    Drop,
    Panic,
}

fn step() -> impl Strategy<Value = Step> {
    let kind = (select(Operation::ALL), select(Executor::ALL));
    prop_oneof![
        3 => kind.prop_map(|(operation, executor)| Step::Queue(operation, executor)),
        3 => Just(Step::Start),
        1 => Just(Step::GiveUp),
        1 => select(OperationOutcome::ALL).prop_map(Step::End),
        1 => Just(Step::Drop),
        1 => Just(Step::Panic),
    ]
}

/// What a recorder should say of one kind of operation.
#[derive(Default, Clone)]
struct Expected {
    seen: bool,
    queued: u64,
    active: u64,
    waits: u64,
    ended: [u64; OperationOutcome::ALL.len()],
}

#[derive(Default)]
struct Model([[Expected; Executor::ALL.len()]; Operation::ALL.len()]);

impl Model {
    fn of(&mut self, (operation, executor): (Operation, Executor)) -> &mut Expected {
        &mut self.0[operation.index()][executor.index()]
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Whatever operations do, the recorder says what a naive count says.
    #[test]
    fn agrees_with_a_naive_model(steps in prop::collection::vec(step(), 0..80)) {
        let reader = Reader::new();
        let operations = OperationMetrics::new(&reader.meter());
        let mut model = Model::default();
        let (mut queued, mut running) = (Vec::new(), Vec::new());
        for step in steps {
            match step {
                Step::Queue(operation, executor) => {
                    queued.push(((operation, executor), operations.queue(operation, executor)));
                    let expected = model.of((operation, executor));
                    (expected.seen, expected.queued) = (true, expected.queued + 1);
                }
                Step::Start => if let Some((kind, waiting)) = queued.pop() {
                    running.push((kind, waiting.start()));
                    let expected = model.of(kind);
                    (expected.queued, expected.active) = (expected.queued - 1, expected.active + 1);
                    expected.waits += 1;
                },
                Step::GiveUp => if let Some((kind, waiting)) = queued.pop() {
                    drop(waiting);
                    model.of(kind).queued -= 1;
                },
                Step::End(_) | Step::Drop | Step::Panic => if let Some((kind, operation)) = running.pop() {
                    let outcome = match step {
                        Step::End(outcome) => { operation.end(outcome); outcome }
                        Step::Panic => {
                            let broken = catch_unwind(AssertUnwindSafe(move || {
                                let _operation = operation;
                                resume_unwind(Box::new("the operation broke"));
                            }));
                            prop_assert!(broken.is_err());
                            OperationOutcome::Crashed
                        }
                        _ => { drop(operation); OperationOutcome::Cancelled }
                    };
                    model.of(kind).active -= 1;
                    model.of(kind).ended[outcome.index()] += 1;
                },
            }
        }
        let seen = reader.collect();
        for (operation, executor) in Operation::ALL.iter().flat_map(|o| Executor::ALL.iter().map(move |e| (*o, *e))) {
            let expected = model.of((operation, executor)).clone();
            let value = |value: u64| expected.seen.then_some(value as f64);
            prop_assert_eq!(levels(&seen, operation, executor), [value(expected.queued), value(expected.active)]);
            prop_assert_eq!(ended(&seen, operation, executor), expected.ended);
            let snapshot = operations.snapshot(operation, executor);
            prop_assert_eq!((snapshot.queued, snapshot.active), (expected.queued, expected.active));
            let kind = [
                ("nemo.gym.resources.operation", operation.as_str()),
                ("nemo.gym.resources.executor", executor.as_str()),
            ];
            let waits = seen.histogram("gym.resources.operation.queue_duration_ms", &kind).map_or(0, |seen| seen.0);
            prop_assert_eq!(waits, expected.waits);
        }
    }
}
