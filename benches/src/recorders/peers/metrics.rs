//! The facade `metrics` over the recorder that exports to Prometheus.

use gym_telemetry::conventions::metrics::ROLLOUT_DURATION_MS;
use metrics::{counter, gauge, histogram, with_local_recorder};
use metrics_exporter_prometheus::{BuildError, PrometheusBuilder, PrometheusHandle, PrometheusRecorder};

use super::super::subjects::{each, milliseconds};
use crate::subject::Subject;

pub(in crate::recorders) fn counters() -> Vec<Subject> {
    let Ok(recorder) = recorder() else { return Vec::new() };
    let (plain, level) = with_local_recorder(&recorder, || (counter!("plain"), gauge!("level")));
    vec![
        each("metrics: counter, its handle kept", move |_| plain.increment(1)),
        each("metrics: gauge, its handle kept, there and back", move |_| {
            level.increment(1.0);
            level.decrement(1.0);
        }),
        Subject::new("metrics: counter with two labels", move |events| {
            with_local_recorder(&recorder, || {
                for _ in 0..events {
                    counter!("labelled", "outcome" => "scored", "dispatch" => "math").increment(1);
                }
            });
        })
        .in_caller(),
    ]
}

pub(in crate::recorders) fn samples() -> Vec<Subject> {
    let Ok(recorder) = recorder() else { return Vec::new() };
    let plain = with_local_recorder(&recorder, || histogram!("plain"));
    let (kept, handle) = (recorder.handle(), recorder.handle());
    vec![
        drained("metrics: histogram, its handle kept", kept, move |events| {
            for number in 0..events {
                plain.record(milliseconds(number));
            }
        }),
        drained("metrics: histogram with two labels", handle, move |events| {
            with_local_recorder(&recorder, || {
                for number in 0..events {
                    histogram!("labelled", "outcome" => "scored", "dispatch" => "math").record(milliseconds(number));
                }
            });
        }),
    ]
}

/// Samples pile up until somebody sorts them into buckets, so that belongs to the work.
fn drained(name: &'static str, handle: PrometheusHandle, work: impl Fn(u64) + Send + Sync + 'static) -> Subject {
    Subject::new(name, move |events| {
        work(events);
        handle.run_upkeep();
    })
    .in_caller()
}

fn recorder() -> Result<PrometheusRecorder, BuildError> {
    Ok(PrometheusBuilder::new().set_buckets(ROLLOUT_DURATION_MS.boundaries)?.build_recorder())
}
