use std::time::Duration;

use opentelemetry::metrics::{Meter, MeterProvider as _};
use opentelemetry_sdk::metrics::{ManualReader, SdkMeterProvider};

use super::{
    calls, guards, limits,
    peers::{metrics, prometheus, prometheus_client},
    sdk,
};
use crate::{bench::Bench, subject::Subject};

/// The benchmark.
pub(crate) const BENCH: Bench = Bench {
    name: "recorders",
    compared: &[
        "metrics",
        "metrics-exporter-prometheus",
        "opentelemetry_sdk",
        "prometheus",
        "prometheus-client",
        "tokio",
    ],
    subjects: || Ok(subjects()),
    more: None,
};

/// Every call: ours, and what others have for it.
fn subjects() -> Vec<Subject> {
    [
        calls::counters(),
        sdk::counters(),
        prometheus::counters(),
        prometheus_client::counters(),
        metrics::counters(),
        calls::samples(),
        sdk::samples(),
        prometheus::samples(),
        prometheus_client::samples(),
        metrics::samples(),
        guards::subjects(),
        limits::subjects(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A subject that makes one call an event. The call is told its number.
pub(super) fn each(name: &'static str, call: impl Fn(u64) + Send + Sync + 'static) -> Subject {
    Subject::new(name, move |events| (0..events).for_each(&call)).in_caller()
}

/// A meter whose provider aggregates for as long as the benchmark runs.
pub(super) fn meter() -> Meter {
    let provider = SdkMeterProvider::builder().with_reader(ManualReader::default()).build();
    Box::leak(Box::new(provider)).meter("bench")
}

/// Samples from a microsecond to some seconds, in all buckets alike.
pub(super) fn sample(number: u64) -> Duration {
    Duration::from_nanos(1_000 << (number % 24))
}

/// The same for libraries that take milliseconds.
pub(super) fn milliseconds(number: u64) -> f64 {
    sample(number).as_secs_f64() * 1e3
}
