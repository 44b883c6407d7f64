//! The bounded form of the fuzz target: damaged requests are refused or taken in, within the limits.

use gym_telemetry_collector::Store;
use gym_telemetry_collector::decode::{Format, decode};
use gym_telemetry_dashboard::history::{History, Query, Select, Settings};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::metrics::v1::exponential_histogram_data_point::Buckets;
use opentelemetry_proto::tonic::metrics::v1::{
    ExponentialHistogram, ExponentialHistogramDataPoint, Gauge, Histogram, HistogramDataPoint, Metric, NumberDataPoint,
    ResourceMetrics, ScopeMetrics, Sum, Summary, SummaryDataPoint, metric, number_data_point,
};
use proptest::prelude::*;
use prost::Message;

const MOST_SERIES: usize = 4;

/// One metric of each kind.
fn whole() -> ExportMetricsServiceRequest {
    let number = NumberDataPoint { value: Some(number_data_point::Value::AsInt(7)), ..NumberDataPoint::default() };
    let numbers = vec![number];
    let histogram = HistogramDataPoint {
        count: 3,
        sum: Some(4.0),
        bucket_counts: vec![1, 2],
        explicit_bounds: vec![1.0],
        ..HistogramDataPoint::default()
    };
    let exponential = ExponentialHistogramDataPoint {
        count: 5,
        zero_count: 1,
        scale: 3,
        positive: Some(Buckets { offset: -2, bucket_counts: vec![1, 1] }),
        negative: Some(Buckets { offset: 4, bucket_counts: vec![2] }),
        ..ExponentialHistogramDataPoint::default()
    };
    let exponentials = vec![exponential];
    let data = [
        metric::Data::Gauge(Gauge { data_points: numbers.clone() }),
        metric::Data::Sum(Sum { data_points: numbers, aggregation_temporality: 2, is_monotonic: true }),
        metric::Data::Histogram(Histogram { data_points: vec![histogram], aggregation_temporality: 2 }),
        metric::Data::ExponentialHistogram(ExponentialHistogram {
            data_points: exponentials,
            aggregation_temporality: 1,
        }),
        metric::Data::Summary(Summary { data_points: vec![SummaryDataPoint::default()] }),
    ];
    let metrics = data.into_iter().zip(["a", "b", "c", "d", "e"]);
    let metrics = metrics.map(|(data, name)| Metric { name: name.to_owned(), data: Some(data), ..Metric::default() });
    let scope_metrics = vec![ScopeMetrics { metrics: metrics.collect(), ..ScopeMetrics::default() }];
    ExportMetricsServiceRequest {
        resource_metrics: vec![ResourceMetrics { scope_metrics, ..ResourceMetrics::default() }],
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn damage_stays_within_the_limits(
        rounds in prop::collection::vec(prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6), 1..5),
    ) {
        let settings = Settings::new().max_series(MOST_SERIES).max_bytes(1 << 12);
        let limits = settings.limits();
        let history = History::new(settings);
        let mut store = Store::observed(limits, history.observer());
        for damage in rounds {
            let mut body = whole().encode_to_vec();
            for (at, byte) in damage {
                let at = at.index(body.len());
                body[at] = byte;
            }
            if let Ok(request) = decode(&body, Format::Protobuf, 1 << 16) {
                store.apply(request);
            }
        }
        let metrics = history.metrics();
        prop_assert!(metrics.iter().map(|metric| metric.series).sum::<usize>() <= MOST_SERIES);
        let numbers = [Select::Value, Select::Rate, Select::Mean, Select::Quantile(0.5), Select::Buckets];
        for metric in &metrics {
            for select in numbers {
                if let Ok(answer) = history.query(&Query::new(&*metric.name).kind(metric.kind).select(select)) {
                    prop_assert!(answer.lines.iter().all(|line| line.values.len() == answer.times.len()));
                    prop_assert!(answer.lines.iter().flat_map(|line| &line.values).flatten().all(|value| !value.is_nan()));
                }
            }
        }
    }
}
