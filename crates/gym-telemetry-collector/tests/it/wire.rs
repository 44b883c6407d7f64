//! Reading on the wire says the same as reading by the generated types.

use gym_telemetry_collector::decode::{Format, decode};
use gym_telemetry_collector::{Limits, Store};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, ArrayValue, KeyValue, KeyValueList};
use opentelemetry_proto::tonic::metrics::v1::exponential_histogram_data_point::Buckets;
use opentelemetry_proto::tonic::metrics::v1::summary_data_point::ValueAtQuantile;
use opentelemetry_proto::tonic::metrics::v1::{self as wire, Metric, metric};
use proptest::prelude::*;
use prost::Message;

use crate::support::{CUMULATIVE, buckets, double, from_process, gauge, histogram, int, metric as named, pair, sum};

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        "\\PC{0,9}".prop_map(Value::StringValue),
        any::<bool>().prop_map(Value::BoolValue),
        any::<i64>().prop_map(Value::IntValue),
        (-1e9..1e9).prop_map(Value::DoubleValue),
        prop::collection::vec(any::<u8>(), 0..9).prop_map(Value::BytesValue),
    ];
    leaf.prop_recursive(3, 9, 3, |inner| {
        let some = |value| AnyValue { value: Some(value) };
        prop_oneof![
            prop::collection::vec(inner.clone().prop_map(some), 0..3)
                .prop_map(|values| Value::ArrayValue(ArrayValue { values })),
            prop::collection::btree_map("[a-c]", inner, 0..3).prop_map(|map| {
                let values = map.into_iter().map(|(key, value)| pair(&key, value)).collect();
                Value::KvlistValue(KeyValueList { values })
            }),
        ]
    })
}

fn attributes() -> impl Strategy<Value = Vec<KeyValue>> {
    let pairs = prop::collection::btree_map("[a-c]{1,2}", value(), 0..3);
    pairs.prop_map(|pairs| pairs.into_iter().map(|(key, value)| pair(&key, value)).collect())
}

fn exponential(time: u64, scale: i32, counts: Vec<u64>, attributes: Vec<KeyValue>) -> Metric {
    let point = wire::ExponentialHistogramDataPoint {
        attributes,
        time_unix_nano: time,
        count: 3,
        sum: Some(-1.5),
        min: Some(-9.0),
        scale,
        zero_count: 2,
        zero_threshold: 0.25,
        positive: Some(Buckets { offset: -scale, bucket_counts: counts.clone() }),
        negative: Some(Buckets { offset: 1000 * scale, bucket_counts: counts }),
        ..Default::default()
    };
    let data = wire::ExponentialHistogram { data_points: vec![point], aggregation_temporality: 2 };
    named("e", metric::Data::ExponentialHistogram(data))
}

fn summary(time: u64, quantile: f64, attributes: Vec<KeyValue>) -> Metric {
    let quantile_values = vec![ValueAtQuantile { quantile, value: -quantile }; 2];
    let point = wire::SummaryDataPoint {
        attributes,
        time_unix_nano: time,
        count: 7,
        sum: 0.5,
        quantile_values,
        ..Default::default()
    };
    named("s", metric::Data::Summary(wire::Summary { data_points: vec![point] }))
}

fn some_metric() -> impl Strategy<Value = Metric> {
    let numbers = (0..6, attributes(), any::<i64>(), -20..25_i32);
    let counts = prop::collection::vec(prop_oneof![0..3_u64, any::<u64>()], 3);
    (numbers, counts, 0..3).prop_map(|((sort, attributes, number, scale), counts, temporality)| match sort {
        0 => gauge("g", vec![int(9, number, attributes.clone()), int(9, 1, attributes)]),
        1 => gauge("g", vec![double(9, number as f64 / 7.0, attributes)]),
        2 => sum("c", temporality, vec![int(9, number, attributes)]),
        3 => {
            let counts = [counts[0] / 4, counts[1] / 4, counts[2] / 4];
            histogram("h", temporality, vec![buckets(9, counts, number as f64, attributes)])
        }
        4 => exponential(9, scale, counts, attributes),
        _ => summary(9, f64::from(scale), attributes),
    })
}

/// A request of one metric as it is held: the last of its points, cumulative, attributes by key.
fn canonical(mut sent: ExportMetricsServiceRequest) -> ExportMetricsServiceRequest {
    if let Some(resource) = &mut sent.resource_metrics[0].resource {
        resource.attributes.reverse();
    }
    let temporality = match &mut sent.resource_metrics[0].scope_metrics[0].metrics[0].data {
        Some(metric::Data::Gauge(data)) => {
            data.data_points = data.data_points.pop().into_iter().collect();
            return sent;
        }
        Some(metric::Data::Sum(data)) => &mut data.aggregation_temporality,
        Some(metric::Data::Histogram(data)) => &mut data.aggregation_temporality,
        Some(metric::Data::ExponentialHistogram(data)) => &mut data.aggregation_temporality,
        _ => return sent,
    };
    *temporality = CUMULATIVE;
    sent
}

/// What a request becomes, as OTLP, and what it is answered.
fn outcome(request: &[u8]) -> (Vec<ExportMetricsServiceRequest>, String) {
    let mut store = Store::new(Limits::default());
    let response = store.apply(decode(request, Format::Protobuf, 1 << 20).unwrap());
    (store.snapshot().to_otlp(), format!("{response:?}"))
}

proptest! {
    #[test]
    fn a_store_tells_what_it_was_told(metric in some_metric()) {
        let sent = from_process(1, vec![metric]);
        let (held, answer) = outcome(&sent.encode_to_vec());
        if answer.contains("Some") {
            prop_assert!(held.is_empty());
        } else {
            prop_assert_eq!(held, [canonical(sent)]);
        }
    }

    #[test]
    fn what_is_read_again_elsewhere_is_the_same(metrics in prop::collection::vec(some_metric(), 1..6)) {
        // One after the other in one store, whose room is used again, and each in a store of its own.
        let mut store = Store::new(Limits::default());
        for (pid, metric) in (0..).zip(metrics.iter().chain(&metrics)) {
            store.apply(from_process(pid, vec![metric.clone()]));
        }
        let alone = (0..).zip(metrics.iter().chain(&metrics)).flat_map(|(pid, metric)| {
            outcome(&from_process(pid, vec![metric.clone()]).encode_to_vec()).0
        });
        prop_assert_eq!(store.snapshot().to_otlp(), alone.collect::<Vec<_>>());
    }

    #[test]
    fn what_is_taken_is_a_request_by_the_generated_types_as_well(
        metric in some_metric(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
    ) {
        let mut bytes = from_process(1, vec![metric]).encode_to_vec();
        for (at, byte) in damage {
            *at.get_mut(&mut bytes) = byte;
        }
        if decode(&bytes, Format::Protobuf, 1 << 20).is_ok() {
            let generated = ExportMetricsServiceRequest::decode(bytes.as_slice());
            prop_assert!(generated.is_ok(), "{:?}", generated);
        }
    }
}
