use gym_telemetry::conventions::metrics::ROLLOUT_DURATION_MS;
use prometheus::{Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, Opts};

use super::super::subjects::{each, milliseconds};
use crate::subject::Subject;

const LABELS: [&str; 2] = ["outcome", "dispatch"];
const VALUES: [&str; 2] = ["scored", "math"];

pub(in crate::recorders) fn counters() -> Vec<Subject> {
    let labelled = IntCounterVec::new(Opts::new("labelled", "help"), &LABELS)
        .map(|counter| each("prometheus: counter with two labels", move |_| counter.with_label_values(&VALUES).inc()));
    let plain = IntCounter::new("plain", "help").map(|counter| each("prometheus: counter", move |_| counter.inc()));
    let level = IntGauge::new("level", "help").map(|gauge| {
        each("prometheus: gauge, there and back", move |_| {
            gauge.inc();
            gauge.dec();
        })
    });
    [plain, labelled, level].into_iter().flatten().collect()
}

pub(in crate::recorders) fn samples() -> Vec<Subject> {
    let plain = Histogram::with_opts(options())
        .map(|histogram| each("prometheus: histogram", move |number| histogram.observe(milliseconds(number))));
    let labelled = HistogramVec::new(options(), &LABELS).map(|histogram| {
        each("prometheus: histogram with two labels", move |number| {
            histogram.with_label_values(&VALUES).observe(milliseconds(number));
        })
    });
    [plain, labelled].into_iter().flatten().collect()
}

fn options() -> HistogramOpts {
    HistogramOpts::new("duration", "help").buckets(ROLLOUT_DURATION_MS.boundaries.to_vec())
}
