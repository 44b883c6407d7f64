use gym_telemetry::conventions::metrics::ROLLOUT_DURATION_MS;
use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
};

use super::super::subjects::{each, milliseconds};
use crate::subject::Subject;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Labels {
    outcome: &'static str,
    dispatch: &'static str,
}

const LABELS: Labels = Labels { outcome: "scored", dispatch: "math" };

pub(in crate::recorders) fn counters() -> Vec<Subject> {
    let (plain, level) = (Counter::<u64>::default(), Gauge::<i64>::default());
    let labelled = Family::<Labels, Counter>::default();
    vec![
        each("prometheus-client: counter", move |_| {
            plain.inc();
        }),
        each("prometheus-client: counter with two labels", move |_| {
            labelled.get_or_create(&LABELS).inc();
        }),
        each("prometheus-client: gauge, there and back", move |_| {
            level.inc();
            level.dec();
        }),
    ]
}

pub(in crate::recorders) fn samples() -> Vec<Subject> {
    let plain = histogram();
    let labelled = Family::<Labels, Histogram>::new_with_constructor(histogram);
    vec![
        each("prometheus-client: histogram", move |number| plain.observe(milliseconds(number))),
        each("prometheus-client: histogram with two labels", move |number| {
            labelled.get_or_create(&LABELS).observe(milliseconds(number));
        }),
    ]
}

fn histogram() -> Histogram {
    Histogram::new(ROLLOUT_DURATION_MS.boundaries.iter().copied())
}
