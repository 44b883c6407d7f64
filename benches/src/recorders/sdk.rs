//! What the SDK of OpenTelemetry has for it.

use gym_telemetry::conventions::metrics::ROLLOUT_DURATION_MS;
use opentelemetry::{KeyValue, metrics::Histogram};

use super::subjects::{each, meter, milliseconds};
use crate::subject::Subject;

pub(super) fn counters() -> Vec<Subject> {
    let meter = meter();
    let counter = |name: &'static str| meter.u64_counter(name).build();
    let level = |name: &'static str| meter.i64_up_down_counter(name).build();
    let (plain, labelled, bound) = (counter("plain"), counter("labelled"), counter("bound").bind(&attributes()));
    let (there_and_back, bound_level) = (level("level"), level("bound_level").bind(&attributes()));
    vec![
        each("SDK: counter", move |_| plain.add(1, &[])),
        each("SDK: counter with two attributes", {
            let attributes = attributes();
            move |_| labelled.add(1, &attributes)
        }),
        each("SDK: counter, bound", move |_| bound.add(1)),
        each("SDK: up-down counter, there and back", move |_| {
            there_and_back.add(1, &[]);
            there_and_back.add(-1, &[]);
        }),
        each("SDK: up-down counter, bound, there and back", move |_| {
            bound_level.add(1);
            bound_level.add(-1);
        }),
    ]
}

pub(super) fn samples() -> Vec<Subject> {
    let (plain, labelled, bound) = (histogram(), histogram(), histogram().bind(&attributes()));
    vec![
        each("SDK: histogram", move |number| plain.record(milliseconds(number), &[])),
        each("SDK: histogram with two attributes", {
            let attributes = attributes();
            move |number| labelled.record(milliseconds(number), &attributes)
        }),
        each("SDK: histogram, bound", move |number| bound.record(milliseconds(number))),
    ]
}

/// A histogram of a meter of its own, in the same buckets as ours.
fn histogram() -> Histogram<f64> {
    meter().f64_histogram("duration").with_boundaries(ROLLOUT_DURATION_MS.boundaries.to_vec()).build()
}

fn attributes() -> [KeyValue; 2] {
    [KeyValue::new("outcome", "scored"), KeyValue::new("dispatch", "math")]
}
