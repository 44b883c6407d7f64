//! OTLP-JSON lines, and what they say about temporality.

use std::{
    io,
    sync::{Arc, Mutex},
};

use gym_telemetry_export::{Exporter, Telemetry};
use opentelemetry::KeyValue;
use serde_json::Value;

use crate::support::{LONG, Logs, builder, settings};

/// A writer that keeps what is written.
#[derive(Clone, Default)]
pub(crate) struct Kept(Arc<Mutex<Vec<u8>>>);

impl Kept {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    fn lines(&self) -> Vec<Value> {
        self.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl io::Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Telemetry on a console that keeps its lines.
pub(crate) fn console(variables: &[(&str, &str)]) -> (Telemetry, Kept) {
    let kept = Kept::default();
    let telemetry = builder(settings(Exporter::Console), variables).console(kept.clone()).start().unwrap();
    (telemetry, kept)
}

/// The metric of a line by its name.
fn metric<'a>(line: &'a Value, name: &str) -> &'a Value {
    let metrics = line["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array().unwrap();
    metrics.iter().find(|metric| metric["name"] == name).unwrap()
}

#[test]
fn each_export_is_one_line_of_otlp_json() {
    let (telemetry, kept) = console(&[]);
    let meter = telemetry.meter("test");
    let counter = meter.u64_counter("counted").with_unit("{row}").with_description("Rows").build();
    let histogram = meter.f64_histogram("took").with_boundaries(vec![1.0, 2.5]).build();
    counter.add(2, &[KeyValue::new("status", 200), KeyValue::new("route", "/a\n\"b\"")]);
    histogram.record(2.0, &[]);
    telemetry.flush(LONG).unwrap();
    counter.add(1, &[KeyValue::new("status", 200), KeyValue::new("route", "/a\n\"b\"")]);
    telemetry.shutdown(LONG).unwrap();

    let lines = kept.lines();
    assert_eq!(lines.len(), 2);
    assert!(kept.text().ends_with('\n'));
    let counted = metric(&lines[1], "counted");
    assert_eq!((&counted["unit"], &counted["description"]), (&"{row}".into(), &"Rows".into()));
    let point = &counted["sum"]["dataPoints"][0];
    assert_eq!(point["asInt"], "3");
    assert!(point["attributes"].as_array().unwrap().iter().any(|one| one["value"]["stringValue"] == "/a\n\"b\""));
    let took = &metric(&lines[0], "took")["histogram"]["dataPoints"][0];
    assert_eq!((&took["count"], &took["sum"]), (&"1".into(), &2.0.into()));
    assert_eq!(took["bucketCounts"], serde_json::json!(["0", "1", "0"]));
    assert_eq!(took["explicitBounds"], serde_json::json!([1.0, 2.5]));
}

#[test]
fn nothing_recorded_is_nothing_written() {
    let (telemetry, kept) = console(&[]);
    telemetry.flush(LONG).unwrap();
    telemetry.shutdown(LONG).unwrap();
    assert_eq!(kept.text(), "");
}

#[test]
fn off_is_silent() {
    for (name, value) in
        [("NEMO_GYM_OTEL_ENABLED", "0"), ("NEMO_LENS_METRICS_ENABLED", "no"), ("OTEL_SDK_DISABLED", "1")]
    {
        let (telemetry, kept) = console(&[(name, value)]);
        telemetry.meter("test").u64_counter("counted").build().add(1, &[]);
        assert!(!telemetry.is_enabled() && !telemetry.status().running);
        telemetry.flush(LONG).unwrap();
        telemetry.shutdown(LONG).unwrap();
        assert_eq!(kept.text(), "", "{name}");
    }
}

/// The temporality of a counter, an observed counter, a histogram and an up-down counter: 1 is delta, 2 cumulative.
fn temporalities(preference: &str) -> [Value; 4] {
    let (telemetry, kept) = console(&[("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", preference)]);
    let meter = telemetry.meter("test");
    meter.u64_counter("counter").build().add(1, &[]);
    let _observed = meter.u64_observable_counter("observed").with_callback(|to| to.observe(1, &[])).build();
    meter.u64_histogram("histogram").build().record(1, &[]);
    meter.i64_up_down_counter("updown").build().add(1, &[]);
    telemetry.shutdown(LONG).unwrap();
    let line = &kept.lines()[0];
    let of = |name, kind| metric(line, name)[kind]["aggregationTemporality"].clone();
    [of("counter", "sum"), of("observed", "sum"), of("histogram", "histogram"), of("updown", "sum")]
}

#[test]
fn x12_the_temporality_preference_is_honoured() {
    let logs = Logs::keep();
    for (preference, expected) in [
        ("", [2, 2, 2, 2]),
        ("Cumulative", [2, 2, 2, 2]),
        ("DELTA", [1, 1, 1, 2]),
        ("LowMemory", [1, 2, 1, 2]),
        ("x12-junk", [2, 2, 2, 2]),
    ] {
        assert_eq!(temporalities(preference), expected.map(Value::from), "{preference}");
    }
    let told = logs.with("x12-junk");
    assert!(told.len() == 1 && told[0].contains("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"), "{told:?}");
}
