//! The written JSON is the one that OTLP prescribes.

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::metrics::v1::exponential_histogram_data_point::Buckets;
use opentelemetry_proto::tonic::metrics::v1::{self as wire, Metric, metric};
use serde_json::{Value as Json, json};

use gym_telemetry_collector::Snapshot;

use crate::support::{
    CUMULATIVE, buckets, counter, double, from_process, gauge, held, histogram, int, metric as named, pair, sum, text,
};

fn written(state: &Snapshot) -> Json {
    let mut bytes = Vec::new();
    state.write_json(&mut bytes).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

#[test]
fn numbers_and_names_are_written_as_otlp_prescribes() {
    let attributes = vec![text("outcome", "good"), pair("status", Value::IntValue(200))];
    let described =
        Metric { description: "What was done".to_owned(), ..sum("c", CUMULATIVE, vec![int(9, 5, attributes)]) };
    let state = held([from_process(
        7,
        vec![described, histogram("h", CUMULATIVE, vec![buckets(9, [1, 0, u64::MAX - 2], 6.5, vec![])])],
    )]);
    let json = written(&state);
    let process = &json[0]["resourceMetrics"][0];
    assert_eq!(process["resource"]["attributes"][0], json!({"key": "process.pid", "value": {"intValue": "7"}}));
    let scope = &process["scopeMetrics"][0];
    assert_eq!(scope["scope"]["name"], "gym");

    let counter = &scope["metrics"][0];
    assert_eq!([&counter["name"], &counter["unit"], &counter["description"]], ["c", "1", "What was done"]);
    assert_eq!([&counter["sum"]["isMonotonic"], &counter["sum"]["aggregationTemporality"]], [&json!(true), &json!(2)]);
    let point = &counter["sum"]["dataPoints"][0];
    assert_eq!(point["asInt"], "5");
    assert_eq!([&point["startTimeUnixNano"], &point["timeUnixNano"]], ["1", "9"]);
    assert_eq!(point["attributes"][0], json!({"key": "outcome", "value": {"stringValue": "good"}}));
    assert_eq!(point["attributes"][1], json!({"key": "status", "value": {"intValue": "200"}}));

    let histogram = &scope["metrics"][1]["histogram"]["dataPoints"][0];
    assert_eq!(histogram["bucketCounts"], json!(["1", "0", "18446744073709551613"]));
    assert_eq!(histogram["explicitBounds"], json!([1.0, 10.0]));
    assert_eq!([&histogram["count"], &histogram["sum"]], [&json!("18446744073709551614"), &json!(6.5)]);
}

#[test]
fn each_process_is_a_request_of_its_own() {
    let state = held([counter(2, 1, 5), counter(1, 1, 6)]);
    let requests: Vec<ExportMetricsServiceRequest> = serde_json::from_value(written(&state)).unwrap();
    assert_eq!(requests, state.to_otlp());
    assert_eq!(requests.len(), 2);
    assert_eq!(written(&held([])), json!([]));
}

#[test]
fn metrics_of_one_scope_stand_together() {
    let mut other = from_process(1, vec![gauge("b", vec![int(1, 1, vec![])])]);
    other.resource_metrics[0].scope_metrics[0].scope.as_mut().unwrap().name = "another".to_owned();
    let state = held([
        from_process(1, vec![gauge("c", vec![int(1, 1, vec![])])]),
        other,
        from_process(1, vec![gauge("a", vec![int(1, 1, vec![])])]),
    ]);
    let json = written(&state);
    let scopes = json[0]["resourceMetrics"][0]["scopeMetrics"].as_array().unwrap();
    let names =
        |scope: &Json| scope["metrics"].as_array().unwrap().iter().map(|m| m["name"].clone()).collect::<Vec<_>>();
    assert_eq!(scopes.iter().map(names).collect::<Vec<_>>(), [vec!["b"], vec!["a", "c"]]);
}

#[test]
fn numbers_that_json_does_not_know_are_text() {
    let mut odd = buckets(1, [1, 2, 3], f64::INFINITY, vec![]);
    odd.min = Some(f64::NAN);
    let exponential = wire::ExponentialHistogramDataPoint {
        sum: Some(f64::NAN),
        positive: Some(Buckets { offset: -3, bucket_counts: vec![5] }),
        ..Default::default()
    };
    let exponential =
        wire::ExponentialHistogram { data_points: vec![exponential], aggregation_temporality: CUMULATIVE };
    let summary = wire::SummaryDataPoint { sum: f64::NAN, ..Default::default() };
    let state = held([from_process(
        1,
        vec![
            gauge("a", vec![double(1, 1.5, vec![text("n", "1")]), double(1, f64::NAN, vec![text("n", "2")])]),
            sum("b", CUMULATIVE, vec![double(1, f64::NEG_INFINITY, vec![])]),
            histogram("c", CUMULATIVE, vec![odd]),
            named("d", metric::Data::ExponentialHistogram(exponential)),
            named("e", metric::Data::Summary(wire::Summary { data_points: vec![summary] })),
        ],
    )]);
    let json = written(&state);
    let metrics = &json[0]["resourceMetrics"][0]["scopeMetrics"][0]["metrics"];
    assert_eq!(metrics[0]["gauge"]["dataPoints"][0]["asDouble"], 1.5);
    assert_eq!(metrics[0]["gauge"]["dataPoints"][1]["asDouble"], "NaN");
    assert_eq!(metrics[1]["sum"]["dataPoints"][0]["asDouble"], "-Infinity");
    let point = &metrics[2]["histogram"]["dataPoints"][0];
    assert_eq!([&point["sum"], &point["max"], &point["min"]], ["Infinity", "Infinity", "NaN"]);
    let point = &metrics[3]["exponentialHistogram"]["dataPoints"][0];
    assert_eq!((&point["sum"], &point["positive"]), (&json!("NaN"), &json!({"offset": -3, "bucketCounts": ["5"]})));
    assert_eq!(metrics[4]["summary"]["dataPoints"][0]["sum"], "NaN");
}

#[test]
fn a_writer_that_fails_is_reported() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let error = held([counter(1, 1, 1)]).write_json(Full).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
}
