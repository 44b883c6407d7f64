//! Histograms of both sorts, and summaries.

use std::collections::BTreeMap;

use opentelemetry_proto::tonic::metrics::v1::exponential_histogram_data_point::Buckets;
use opentelemetry_proto::tonic::metrics::v1::{
    self as wire, ExponentialHistogramDataPoint, HistogramDataPoint, Metric, SummaryDataPoint,
};

use super::support::{CUMULATIVE, DELTA, Fleet, metric, nanos, seconds};
use crate::history::{Over, QueryError, Select, Settings};

/// Buckets up to 10, up to 20, and above.
fn histogram(second: u64, temporality: i32, bucket_counts: [u64; 3], sum: f64) -> Vec<Metric> {
    within([10.0, 20.0], second, temporality, bucket_counts, sum)
}

/// Buckets with these boundaries.
fn within(bounds: [f64; 2], second: u64, temporality: i32, bucket_counts: [u64; 3], sum: f64) -> Vec<Metric> {
    let point = HistogramDataPoint {
        start_time_unix_nano: nanos(0),
        time_unix_nano: nanos(second),
        count: bucket_counts.iter().sum(),
        sum: Some(sum),
        bucket_counts: bucket_counts.to_vec(),
        explicit_bounds: bounds.to_vec(),
        ..HistogramDataPoint::default()
    };
    let data = wire::Histogram { data_points: vec![point], aggregation_temporality: temporality };
    vec![metric("duration", wire::metric::Data::Histogram(data))]
}

/// Positive buckets from `offset` on.
fn exponential(second: u64, scale: i32, offset: i32, counts: &[u64]) -> Vec<Metric> {
    let point = ExponentialHistogramDataPoint {
        start_time_unix_nano: nanos(0),
        time_unix_nano: nanos(second),
        count: counts.iter().sum(),
        sum: Some(1.0),
        scale,
        positive: Some(Buckets { offset, bucket_counts: counts.to_vec() }),
        ..ExponentialHistogramDataPoint::default()
    };
    let data = wire::ExponentialHistogram { data_points: vec![point], aggregation_temporality: CUMULATIVE };
    vec![metric("duration", wire::metric::Data::ExponentialHistogram(data))]
}

fn select(fleet: &Fleet, window: u64, select: Select) -> Vec<Option<f64>> {
    fleet.line(seconds("duration", window).select(select))
}

#[test]
fn each_step_has_its_own_values() {
    let mut fleet = Fleet::new(Settings::new());
    fleet.export(1, "a", histogram(1, CUMULATIVE, [2, 0, 0], 12.0));
    fleet.export(2, "a", histogram(2, CUMULATIVE, [2, 2, 0], 42.0));
    fleet.export(3, "a", histogram(3, CUMULATIVE, [2, 2, 0], 42.0));
    assert_eq!(select(&fleet, 3, Select::Value), [Some(2.0), Some(4.0), Some(4.0)]);
    assert_eq!(select(&fleet, 3, Select::Rate), [Some(2.0), Some(2.0), Some(0.0)]);
    assert_eq!(select(&fleet, 3, Select::Count), [Some(2.0), Some(2.0), Some(0.0)]);
    assert_eq!(select(&fleet, 3, Select::Sum), [Some(12.0), Some(30.0), None]);
    assert_eq!(select(&fleet, 3, Select::Mean), [Some(6.0), Some(15.0), None]);
    assert_eq!(select(&fleet, 3, Select::Quantile(0.5)), [Some(5.0), Some(15.0), None]);
    assert_eq!(select(&fleet, 3, Select::Quantile(1.0)), [Some(10.0), Some(20.0), None]);
}

#[test]
fn processes_are_merged_unless_they_are_kept_apart() {
    let mut fleet = Fleet::new(Settings::new());
    fleet.export(1, "a", histogram(1, CUMULATIVE, [3, 0, 0], 3.0));
    fleet.export(1, "b", histogram(1, CUMULATIVE, [0, 1, 0], 15.0));
    assert_eq!(select(&fleet, 1, Select::Quantile(1.0)), [Some(20.0)]);
    assert_eq!(select(&fleet, 1, Select::Mean), [Some(4.5)]);
    let median = seconds("duration", 1).quantile(1.0);
    assert_eq!(fleet.lines(median.clone().over(Over::Each)).len(), 2);
    assert_eq!(fleet.line(median.clone().over(Over::Min)), [Some(10.0)]);
    assert_eq!(fleet.line(median.over(Over::Median)), [Some(15.0)]);
}

#[test]
fn buckets_are_lines_for_heat_maps() {
    let mut fleet = Fleet::new(Settings::new());
    fleet.export(1, "a", histogram(1, CUMULATIVE, [1, 0, 0], 1.0));
    fleet.export(2, "a", histogram(2, CUMULATIVE, [1, 0, 4], 1.0));
    let answer = fleet.ask(seconds("duration", 2).select(Select::Buckets));
    let lines = answer.lines.iter().map(|line| (line.labels["le"].as_str(), line.values.as_slice()));
    let expected =
        [("10", [Some(1.0), Some(0.0)].as_slice()), ("20", &[Some(0.0), Some(0.0)]), ("+Inf", &[Some(0.0), Some(4.0)])];
    assert_eq!(lines.collect::<Vec<_>>(), expected);
}

#[test]
fn different_boundaries_come_together_where_they_are_the_same() {
    let mut fleet = Fleet::new(Settings::new());
    fleet.export(1, "a", histogram(1, CUMULATIVE, [1, 1, 0], 16.0));
    fleet.export(1, "b", within([20.0, 40.0], 1, CUMULATIVE, [0, 0, 0], 0.0));
    fleet.export(2, "a", histogram(2, CUMULATIVE, [1, 2, 1], 66.0));
    fleet.export(2, "b", within([20.0, 40.0], 2, CUMULATIVE, [1, 2, 3], 200.0));
    let answer = fleet.ask(seconds("duration", 2).select(Select::Buckets));
    let lines = answer.lines.iter().map(|line| (line.labels["le"].as_str(), line.values.as_slice()));
    let expected = [("20", [Some(2.0), Some(2.0)].as_slice()), ("+Inf", &[Some(0.0), Some(6.0)])];
    assert_eq!(lines.collect::<Vec<_>>(), expected);
    assert_eq!(select(&fleet, 2, Select::Quantile(0.125)), [Some(2.5), Some(10.0)]);
    assert_eq!(select(&fleet, 2, Select::Count), [Some(2.0), Some(8.0)]);

    fleet.export(3, "a", histogram(3, CUMULATIVE, [2, 2, 1], 70.0));
    fleet.export(3, "b", within([5.0, 40.0], 3, CUMULATIVE, [9, 9, 9], 200.0));
    assert_eq!(select(&fleet, 1, Select::Quantile(0.5)), [None], "they share no boundary");
}

#[test]
fn what_lies_above_all_boundaries_is_at_least_the_last() {
    let mut fleet = Fleet::new(Settings::new());
    fleet.export(1, "a", histogram(1, CUMULATIVE, [0, 0, 4], 400.0));
    assert_eq!(select(&fleet, 1, Select::Quantile(0.5)), [Some(20.0)]);
}

#[test]
fn restarts_and_differences_count_as_they_do_for_counters() {
    let mut fleet = Fleet::new(Settings::new());
    for (second, buckets) in [(1, [5, 0, 0]), (2, [1, 0, 0]), (3, [1, 1, 0])] {
        fleet.export(second, "falls", histogram(second, CUMULATIVE, buckets, 1.0));
    }
    assert_eq!(select(&fleet, 3, Select::Count), [Some(5.0), Some(1.0), Some(1.0)]);
    let mut fleet = Fleet::new(Settings::new());
    for second in [1, 2, 3] {
        fleet.export(second, "delta", histogram(second, DELTA, [0, 2, 0], 30.0));
    }
    assert_eq!(select(&fleet, 3, Select::Count), [Some(2.0); 3]);
    assert_eq!(select(&fleet, 3, Select::Quantile(0.5)), [Some(15.0); 3]);
}

#[test]
fn exponential_buckets_interpolate_as_they_grow() {
    let mut fleet = Fleet::new(Settings::new());
    // At scale 0, the bucket 2 holds what lies above 4 and not above 8.
    fleet.export(1, "a", exponential(1, 0, 2, &[4]));
    let middle = select(&fleet, 1, Select::Quantile(0.5))[0].unwrap();
    assert!((middle - 32.0_f64.sqrt()).abs() < 1e-9, "{middle}");
    assert_eq!(select(&fleet, 1, Select::Quantile(1.0)), [Some(8.0)]);
}

#[test]
fn exponential_buckets_of_different_scales_come_together() {
    let mut fleet = Fleet::new(Settings::new());
    fleet.export(1, "a", exponential(1, 1, 4, &[1, 1]));
    fleet.export(2, "a", exponential(2, 0, 2, &[2, 3]));
    let answer = fleet.ask(seconds("duration", 2).select(Select::Buckets));
    let lines: BTreeMap<_, _> =
        answer.lines.iter().map(|line| (line.labels["le"].as_str(), line.values.clone())).collect();
    assert_eq!(lines, [("8", vec![Some(2.0), None]), ("16", vec![None, Some(3.0)])].into());
}

#[test]
fn negative_and_zero_values_have_buckets_below() {
    let mut fleet = Fleet::new(Settings::new());
    let point = ExponentialHistogramDataPoint {
        start_time_unix_nano: nanos(0),
        time_unix_nano: nanos(1),
        count: 4,
        zero_count: 2,
        negative: Some(Buckets { offset: 0, bucket_counts: vec![1] }),
        positive: Some(Buckets { offset: 0, bucket_counts: vec![1] }),
        ..ExponentialHistogramDataPoint::default()
    };
    let data = wire::ExponentialHistogram { data_points: vec![point], aggregation_temporality: CUMULATIVE };
    fleet.export(1, "a", vec![metric("duration", wire::metric::Data::ExponentialHistogram(data))]);
    assert_eq!(select(&fleet, 1, Select::Quantile(0.0)), [Some(-2.0)]);
    assert_eq!(select(&fleet, 1, Select::Quantile(0.5)), [Some(0.0)]);
    assert_eq!(select(&fleet, 1, Select::Quantile(1.0)), [Some(2.0)]);
    assert_eq!(select(&fleet, 1, Select::Mean), [None], "the sum is not known");
}

#[test]
fn summaries_have_counts_and_means() {
    let mut fleet = Fleet::new(Settings::new());
    for second in [1, 2] {
        let count = 2 * second;
        let time = nanos(second);
        let point = SummaryDataPoint {
            start_time_unix_nano: nanos(0),
            time_unix_nano: time,
            count,
            sum: 3.0 * count as f64,
            ..SummaryDataPoint::default()
        };
        let data = wire::Summary { data_points: vec![point] };
        fleet.export(second, "a", vec![metric("duration", wire::metric::Data::Summary(data))]);
    }
    assert_eq!(select(&fleet, 2, Select::Mean), [Some(3.0); 2]);
    assert_eq!(select(&fleet, 2, Select::Count), [Some(2.0); 2]);
    let error = fleet.history.query(&seconds("duration", 1).quantile(0.5)).unwrap_err();
    assert!(matches!(error, QueryError::Unsuited { .. }));
}
