//! Totals over what is held.

use gym_telemetry_collector::{Data, Value as Held};
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{ArrayValue, KeyValueList};
use opentelemetry_proto::tonic::metrics::v1::summary_data_point::ValueAtQuantile;
use opentelemetry_proto::tonic::metrics::v1::{self as wire, metric};

use crate::support::{CUMULATIVE, buckets, double, from_process, gauge, held, histogram, int, pair, sum, text};

#[test]
fn numbers_are_added_up_where_they_are_chosen() {
    let points =
        |good, bad| vec![int(1, good, vec![text("outcome", "good")]), int(1, bad, vec![text("outcome", "bad")])];
    let state = held([
        from_process(1, vec![sum("done", CUMULATIVE, points(5, 1)), sum("other", CUMULATIVE, points(100, 100))]),
        from_process(2, vec![sum("done", CUMULATIVE, points(7, 2))]),
    ]);
    assert_eq!(state.sum("done", |series| series.attributes.str("outcome") == Some("good")), 12.0);
    assert_eq!(state.sum("done", |_| true), 15.0);
    let by_outcome = state.sums("done", |series| series.attributes.str("outcome").map(str::to_owned));
    assert_eq!(by_outcome, [(Some("bad".to_owned()), 3.0), (Some("good".to_owned()), 12.0)].into());
}

#[test]
fn what_is_absent_adds_up_to_zero() {
    let state = held([]);
    assert_eq!(state.sum("done", |_| true).to_bits(), 0.0_f64.to_bits());
    assert!(state.sums("done", |_| ()).is_empty());
    assert!(state.histograms("done", |_| ()).is_empty());
}

#[test]
fn histograms_merge_by_group() {
    let server = |name| vec![text("server", name)];
    let state = held([
        from_process(1, vec![histogram("h", CUMULATIVE, vec![buckets(1, [1, 0, 0], 1.0, server("a"))])]),
        from_process(2, vec![histogram("h", CUMULATIVE, vec![buckets(1, [0, 2, 1], 31.0, server("a"))])]),
        from_process(3, vec![histogram("h", CUMULATIVE, vec![buckets(1, [0, 0, 4], 80.0, server("b"))])]),
    ]);
    let by_server = state.histograms("h", |series| series.attributes.str("server").map(str::to_owned));
    let a = &by_server[&Some("a".to_owned())];
    assert_eq!((a.count, a.sum, a.buckets.as_slice()), (4, Some(32.0), [1, 2, 1].as_slice()));
    assert_eq!((a.min, a.max, a.mean()), (Some(0.5), Some(31.0), Some(8.0)));
    assert_eq!(by_server[&Some("b".to_owned())].count, 4);
    assert_eq!(state.histograms("h", |_| ())[&()].buckets, [1, 2, 5]);
    assert_eq!(state.sum("h", |_| true), 0.0, "a histogram is no number");
}

#[test]
fn exponential_histograms_merge_without_buckets() {
    let point = wire::ExponentialHistogramDataPoint { count: 3, sum: Some(6.0), ..Default::default() };
    let data = wire::ExponentialHistogram { data_points: vec![point], aggregation_temporality: CUMULATIVE };
    let data = metric::Data::ExponentialHistogram(data);
    let state = held([
        from_process(1, vec![crate::support::metric("h", data)]),
        from_process(2, vec![histogram("h", CUMULATIVE, vec![buckets(1, [1, 0, 0], 1.0, vec![])])]),
    ]);
    let total = &state.histograms("h", |_| ())[&()];
    assert_eq!((total.count, total.sum, total.buckets.len()), (4, Some(7.0), 0));
}

#[test]
fn summaries_are_kept() {
    let quantile_values = vec![ValueAtQuantile { quantile: 0.5, value: 3.0 }];
    let point = wire::SummaryDataPoint { count: 2, sum: 6.0, quantile_values, ..Default::default() };
    let data = metric::Data::Summary(wire::Summary { data_points: vec![point] });
    let state = held([from_process(1, vec![crate::support::metric("s", data.clone())])]);
    let Data::Summary(summary) = &state.series("s").next().unwrap().point.data else { panic!("it stays a summary") };
    assert_eq!((summary.count, summary.sum, summary.quantiles.as_slice()), (2, 6.0, [(0.5, 3.0)].as_slice()));
    let written = &state.to_otlp()[0].resource_metrics[0].scope_metrics[0].metrics[0];
    assert_eq!(written.data, Some(data));
}

#[test]
fn attributes_of_every_type_are_kept() {
    let list = ArrayValue { values: ["x", "y"].map(|v| text("", v).value.unwrap()).to_vec() };
    let map = KeyValueList { values: vec![pair("z", Value::IntValue(1)), text("a", "b")] };
    let values = [
        ("array", Value::ArrayValue(list)),
        ("bool", Value::BoolValue(true)),
        ("bytes", Value::BytesValue(vec![0, 255])),
        ("double", Value::DoubleValue(f64::NAN)),
        ("map", Value::KvlistValue(map)),
        ("text", Value::StringValue("<script>\u{202e}".to_owned())),
    ];
    let sent: Vec<_> = values.into_iter().map(|(key, value)| pair(key, value)).collect();
    let state = held([
        from_process(1, vec![gauge("g", vec![int(1, 1, sent.clone())])]),
        from_process(1, vec![gauge("g", vec![double(2, 2.5, sent)])]),
    ]);
    let [series] = state.series("g").collect::<Vec<_>>().try_into().expect("NaN is the same series as NaN");
    assert_eq!(series.point.data, Data::Double(2.5));
    assert_eq!(series.attributes.get("bool"), Some(&Held::Bool(true)));
    assert_eq!(series.attributes.get("bytes"), Some(&Held::Bytes(vec![0, 255])));
    assert!(matches!(series.attributes.get("double"), Some(Held::Double(number)) if number.get().is_nan()));
    assert!(matches!(series.attributes.get("map"), Some(Held::Map(map)) if map.int("z") == Some(1)));
    let [Held::String(x), Held::String(y)] = (match series.attributes.get("array") {
        Some(Held::Array(values)) => values.as_slice(),
        _ => &[],
    }) else {
        panic!("a list stays a list")
    };
    assert_eq!((x.as_str(), y.as_str()), ("x", "y"));
    assert_eq!(series.attributes.str("text"), Some("<script>\u{202e}"));
}
