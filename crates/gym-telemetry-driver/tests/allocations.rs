//! What limits cost in memory where a place is free: nothing.
#![cfg(test)]

use std::fmt::Debug;

use allocation_counter::{AllocationInfo, measure};
use futures_util::FutureExt as _;
use gym_telemetry_conventions::{Executor, Operation};
use gym_telemetry_core::{ConcurrencyMetrics, DriverMetrics, LimitName, OperationMetrics};
use gym_telemetry_driver::{AdaptiveLimit, Admission, MeteredSemaphore, operation};
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::metrics::SdkMeterProvider;

/// What a future that need not wait gives.
fn now<T, E: Debug>(future: impl Future<Output = Result<T, E>>) -> T {
    future.now_or_never().expect("a place is free").expect("nothing is closed")
}

#[test]
fn a_free_place_allocates_nothing() {
    let meter = SdkMeterProvider::builder().build().meter("test");
    let (driver, operations) = (DriverMetrics::new(&meter), OperationMetrics::new(&meter));
    let concurrency = ConcurrencyMetrics::new(&meter);
    let limit = MeteredSemaphore::new(4, concurrency.limit(LimitName::new("verifier", "subprocesses")));
    let fixed = Admission::with_limit(limit.clone(), driver.clone());
    let adaptive = Admission::new(4, driver).adaptive(AdaptiveLimit::between(2, 8));
    let run = || {
        drop(now(limit.acquire()));
        drop(now(fixed.admit()));
        now(adaptive.admit()).succeed();
        let verify = now(operation(&operations, &limit, Operation::Verify, Executor::Inline));
        now(verify.run(async { Ok::<_, ()>(()) }));
    };
    run();
    assert_eq!(measure(|| (0..100).for_each(|_| run())), AllocationInfo::default());
}
