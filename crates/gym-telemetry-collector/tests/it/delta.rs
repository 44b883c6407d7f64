//! Differences are added up.

use gym_telemetry_collector::{Data, ExponentialHistogram, Histogram, Snapshot};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::metrics::v1::exponential_histogram_data_point::Buckets;
use opentelemetry_proto::tonic::metrics::v1::{self as wire, ExponentialHistogramDataPoint, metric};
use proptest::prelude::*;

use crate::support::{CUMULATIVE, DELTA, buckets, double, from_process, held, histogram, int, sum};

fn one(data: &Snapshot) -> Data {
    let [data] = data.series("d").map(|series| series.point.data.clone()).collect::<Vec<_>>().try_into().unwrap();
    data
}

fn deltas(points: impl IntoIterator<Item = wire::NumberDataPoint>) -> Vec<ExportMetricsServiceRequest> {
    points.into_iter().map(|point| from_process(1, vec![sum("d", DELTA, vec![point])])).collect()
}

#[test]
fn sums_are_added_up_and_become_cumulative() {
    let state = held(deltas([int(10, 5, vec![]), int(20, 7, vec![]), int(40, -2, vec![])]));
    assert_eq!(one(&state), Data::Int(10));
    let point = state.series("d").next().unwrap().point;
    assert_eq!((point.start_unix_nano, point.time_unix_nano), (1, 40));
    let written = state.to_otlp();
    let Some(metric::Data::Sum(sum)) = &written[0].resource_metrics[0].scope_metrics[0].metrics[0].data else {
        panic!("a sum stays a sum");
    };
    assert_eq!(sum.aggregation_temporality, CUMULATIVE);
}

#[test]
fn a_difference_that_comes_twice_or_late_is_added_once() {
    let state = held(deltas([int(10, 5, vec![]), int(20, 7, vec![]), int(20, 7, vec![]), int(10, 5, vec![])]));
    assert_eq!(one(&state), Data::Int(12));
}

#[test]
fn integers_and_fractions_add_up_and_integers_stop_at_the_largest() {
    assert_eq!(one(&held(deltas([int(1, 5, vec![]), double(2, 0.5, vec![])]))), Data::Double(5.5));
    assert_eq!(one(&held(deltas([int(1, i64::MAX, vec![]), int(2, 1, vec![])]))), Data::Int(i64::MAX));
}

#[test]
fn a_cumulative_point_after_differences_replaces_them() {
    let mut requests = deltas([int(10, 5, vec![]), int(20, 7, vec![])]);
    requests.push(from_process(1, vec![sum("d", CUMULATIVE, vec![int(30, 3, vec![])])]));
    assert_eq!(one(&held(requests)), Data::Int(3));
}

fn histograms(points: impl IntoIterator<Item = wire::HistogramDataPoint>) -> Histogram {
    let requests = points.into_iter().map(|point| from_process(1, vec![histogram("d", DELTA, vec![point])]));
    let Data::Histogram(histogram) = one(&held(requests)) else { panic!("a histogram stays a histogram") };
    *histogram
}

#[test]
fn histograms_are_added_up_bucket_by_bucket() {
    let total = histograms([buckets(10, [1, 2, 0], 8.0, vec![]), buckets(20, [0, 1, 3], 60.0, vec![])]);
    assert_eq!((total.count, total.sum, total.buckets), (7, Some(68.0), vec![1, 3, 3]));
    assert_eq!((total.min, total.max), (Some(0.5), Some(60.0)));
    assert_eq!(total.bounds, [1.0, 10.0]);
}

#[test]
fn histograms_of_other_boundaries_keep_count_and_sum() {
    let mut other = buckets(20, [0, 1, 3], 60.0, vec![]);
    other.explicit_bounds = vec![1.0, 20.0];
    other.min = None;
    let total = histograms([buckets(10, [1, 2, 0], 8.0, vec![]), other]);
    assert_eq!((total.count, total.sum, total.min), (7, Some(68.0), None));
    assert!(total.buckets.is_empty() && total.bounds.is_empty());
}

fn exponential(time: u64, scale: i32, offset: i32, counts: &[u64]) -> ExponentialHistogramDataPoint {
    let count = counts.iter().sum::<u64>() + 1;
    ExponentialHistogramDataPoint {
        time_unix_nano: time,
        count,
        sum: Some(1.0),
        scale,
        zero_count: 1,
        positive: Some(Buckets { offset, bucket_counts: counts.to_vec() }),
        ..ExponentialHistogramDataPoint::default()
    }
}

fn exponentials(points: impl IntoIterator<Item = ExponentialHistogramDataPoint>) -> ExponentialHistogram {
    let requests = points.into_iter().map(|point| {
        let data = wire::ExponentialHistogram { data_points: vec![point], aggregation_temporality: DELTA };
        from_process(1, vec![crate::support::metric("d", metric::Data::ExponentialHistogram(data))])
    });
    let Data::ExponentialHistogram(histogram) = one(&held(requests)) else { panic!("it stays exponential") };
    *histogram
}

#[test]
fn exponential_histograms_meet_at_the_coarser_scale() {
    // At scale 1 these lie in buckets -1, 0, 1 and 4; at scale 0 in -1, 0, 0 and 2.
    let total =
        exponentials([exponential(1, 1, -1, &[1, 2, 3]), exponential(2, 0, 2, &[5]), exponential(3, 1, 4, &[7])]);
    assert_eq!((total.scale, total.count, total.zero_count, total.sum), (0, 21, 3, Some(3.0)));
    assert_eq!((total.positive.offset, total.positive.counts), (-1, vec![1, 5, 0, 12]));
}

#[test]
fn exponential_histograms_far_apart_do_not_take_up_more_room() {
    let total = exponentials([exponential(1, 20, i32::MIN, &[3]), exponential(2, 20, i32::MAX - 1, &[4])]);
    assert!(total.positive.counts.len() <= 320, "{} buckets", total.positive.counts.len());
    assert_eq!(total.positive.counts.iter().sum::<u64>(), 7);
}

proptest! {
    #[test]
    fn exponential_histograms_lose_no_value(
        parts in prop::collection::vec((-10..=20_i32, -2000..2000_i32, prop::collection::vec(0..9_u64, 0..40)), 1..6),
    ) {
        let points = (1..).zip(&parts).map(|(time, part)| exponential(time, part.0, part.1, &part.2));
        let total = exponentials(points);
        let sent: u64 = parts.iter().flat_map(|part| &part.2).sum();
        prop_assert_eq!(total.positive.counts.iter().sum::<u64>(), sent);
        prop_assert_eq!(total.count, sent + parts.len() as u64);
        prop_assert!(total.positive.counts.len() <= 320);
    }
}
