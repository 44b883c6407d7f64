//! What several tests need.

pub(crate) mod fake;
pub(crate) mod logs;
pub(crate) mod real;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use gym_telemetry_core::MemoryMetrics;
use gym_telemetry_procfs::MemoryWatch;
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::metrics::SdkMeterProvider;

pub(crate) use gym_telemetry_tests::skip;

/// A recorder that reports to nobody.
pub(crate) fn metrics() -> MemoryMetrics {
    MemoryMetrics::new(&SdkMeterProvider::builder().build().meter("test"))
}

/// Tries again and again until there is something, for as long as only a hang would take.
pub(crate) fn until<T>(what: &str, mut attempt: impl FnMut() -> Option<T>) -> T {
    let since = Instant::now();
    loop {
        if let Some(found) = attempt() {
            return found;
        }
        assert!(since.elapsed() < Duration::from_secs(60), "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Waits until so many more samples have been taken.
pub(crate) fn wait_for_samples(watch: &MemoryWatch, samples: usize) {
    for _ in 0..samples {
        let before = watch.latest();
        until("there is a new sample", || (!Arc::ptr_eq(&before, &watch.latest())).then_some(()));
    }
}
