//! Limits with a place free, beside tokio's semaphore.

use std::{hint::black_box, sync::Arc};

use futures_util::FutureExt as _;
use gym_telemetry::{
    ConcurrencyMetrics, DriverMetrics, LimitName, OperationMetrics,
    conventions::{Executor, Operation, OperationOutcome},
    driver::{AdaptiveLimit, Admission, MeteredSemaphore, operation},
};
use tokio::sync::Semaphore;

use super::subjects::{each, meter};
use crate::subject::Subject;

const TOKIO: &str = "tokio: `Semaphore::acquire`";

/// More than threads are measured.
const PLACES: usize = 64;

pub(super) fn subjects() -> Vec<Subject> {
    let admission = Admission::new(PLACES, DriverMetrics::new(&meter()));
    let adaptive =
        Admission::new(PLACES, DriverMetrics::new(&meter())).adaptive(AdaptiveLimit::between(PLACES, PLACES));
    let concurrency = ConcurrencyMetrics::new(&meter());
    let metered = MeteredSemaphore::new(PLACES, concurrency.limit(LimitName::new("verifier", "subprocesses")));
    let operations = OperationMetrics::new(&meter());
    let (bare, owned, verifiers) = (Semaphore::new(PLACES), Arc::new(Semaphore::new(PLACES)), Semaphore::new(PLACES));
    let ours = vec![
        each("tokio: `Semaphore::acquire_owned`", move |_| now(Arc::clone(&owned).acquire_owned())),
        each("ours: limit", move |_| {
            let _kept = &concurrency;
            now(metered.acquire());
        }),
        each("ours: admission", move |_| now(admission.admit())),
        each("ours: admission, adaptive", move |_| {
            if let Some(Ok(permit)) = adaptive.admit().now_or_never() {
                permit.succeed();
            }
        }),
        each("ours: operation behind tokio's", move |_| {
            let queued = operation(&operations, &verifiers, Operation::Verify, Executor::Subprocess);
            if let Some(Ok(running)) = queued.now_or_never() {
                running.end(OperationOutcome::Ok);
            }
        }),
    ];
    let bare = each(TOKIO, move |_| now(bare.acquire()));
    [bare].into_iter().chain(ours.into_iter().map(|subject| subject.above(TOKIO))).collect()
}

/// Takes what is to be had at once, and gives it back.
fn now<T, E>(place: impl Future<Output = Result<T, E>>) {
    drop(black_box(place.now_or_never()));
}
