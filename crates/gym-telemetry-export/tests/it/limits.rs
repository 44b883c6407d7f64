//! More attribute sets than an instrument may have.

use opentelemetry::{KeyValue, metrics::Counter};

use crate::{
    console::console,
    support::{LONG, Logs},
};

/// Counts once on each of so many routes.
fn count(counter: &Counter<u64>, routes: usize) {
    for route in 0..routes {
        counter.add(1, &[KeyValue::new("route", format!("/junk/{route}"))]);
    }
}

#[test]
fn x3_going_over_the_limit_is_said_once() {
    let logs = Logs::keep();
    let (telemetry, kept) = console(&[("NEMO_GYM_OTEL_CARDINALITY_LIMIT", "10")]);
    count(&telemetry.meter("test").u64_counter("x3.counted").build(), 10);
    telemetry.flush(LONG).unwrap();
    assert_eq!(logs.with("x3.counted"), Vec::<String>::new());

    count(&telemetry.meter("test").u64_counter("x3.counted").build(), 15);
    telemetry.flush(LONG).unwrap();
    telemetry.shutdown(LONG).unwrap();
    let last = kept.text().lines().last().unwrap().to_owned();
    assert!(last.contains("otel.metric.overflow"));
    assert_eq!(last.matches("/junk/").count(), 10);
    let told = logs.with("x3.counted");
    assert!(told.len() == 1 && told[0].contains("limit=10"), "{told:?}");
}

#[test]
fn x3_histograms_and_gauges_are_watched_too() {
    let logs = Logs::keep();
    let (telemetry, _kept) = console(&[("NEMO_GYM_OTEL_CARDINALITY_LIMIT", "1")]);
    let meter = telemetry.meter("test");
    let (histogram, gauge) = (meter.f64_histogram("x3.histogram").build(), meter.i64_gauge("x3.gauge").build());
    for route in 0..2 {
        histogram.record(1.0, &[KeyValue::new("route", route)]);
        gauge.record(1, &[KeyValue::new("route", route)]);
    }
    telemetry.shutdown(LONG).unwrap();
    assert_eq!((logs.with("x3.histogram").len(), logs.with("x3.gauge").len()), (1, 1));
}

#[test]
fn x11_a_real_route_after_ten_thousand_others_has_its_own_series_within_the_limit() {
    let (telemetry, kept) = console(&[("NEMO_GYM_OTEL_CARDINALITY_LIMIT", "10001")]);
    let counter = telemetry.meter("test").u64_counter("x11.counted").build();
    count(&counter, 10_000);
    counter.add(1, &[KeyValue::new("route", "/run")]);
    telemetry.shutdown(LONG).unwrap();
    assert_eq!(kept.text().matches("\"/run\"").count(), 1);
    assert!(!kept.text().contains("otel.metric.overflow"));
}
