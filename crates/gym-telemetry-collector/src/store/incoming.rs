//! A metric as it was sent, checked and taken apart.

use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::metrics::v1::exponential_histogram_data_point as exponential;
use opentelemetry_proto::tonic::metrics::v1::number_data_point::Value;
use opentelemetry_proto::tonic::metrics::v1::{
    AggregationTemporality, DataPointFlags, ExponentialHistogramDataPoint, HistogramDataPoint, NumberDataPoint,
    SummaryDataPoint, metric,
};

use super::receipt::Refused;
use crate::model::{Attributes, Buckets, Data, ExponentialHistogram, Histogram, Kind, Point, Summary};
use crate::otlp;

/// The scales that a double can be told apart by.
const SCALES: std::ops::RangeInclusive<i32> = -10..=20;

/// The points of one metric.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) kind: Kind,
    /// Whether each point is a difference to the one before it; `None` when the process does not say.
    pub(super) delta: Option<bool>,
    pub(super) points: Vec<Incoming>,
}

impl From<metric::Data> for Batch {
    fn from(data: metric::Data) -> Self {
        match data {
            metric::Data::Gauge(gauge) => Self::new(Kind::Gauge, Some(false), gauge.data_points),
            metric::Data::Sum(sum) => {
                let kind = Kind::Sum { monotonic: sum.is_monotonic };
                Self::new(kind, is_delta(sum.aggregation_temporality), sum.data_points)
            }
            metric::Data::Histogram(histogram) => {
                Self::new(Kind::Histogram, is_delta(histogram.aggregation_temporality), histogram.data_points)
            }
            metric::Data::ExponentialHistogram(histogram) => {
                let delta = is_delta(histogram.aggregation_temporality);
                Self::new(Kind::ExponentialHistogram, delta, histogram.data_points)
            }
            metric::Data::Summary(summary) => Self::new(Kind::Summary, Some(false), summary.data_points),
        }
    }
}

impl Batch {
    fn new<P: Into<Incoming>>(kind: Kind, delta: Option<bool>, points: Vec<P>) -> Self {
        Self { kind, delta, points: points.into_iter().map(Into::into).collect() }
    }
}

fn is_delta(temporality: i32) -> Option<bool> {
    match AggregationTemporality::try_from(temporality) {
        Ok(AggregationTemporality::Cumulative) => Some(false),
        Ok(AggregationTemporality::Delta) => Some(true),
        Ok(AggregationTemporality::Unspecified) | Err(_) => None,
    }
}

/// One point as it was sent.
#[derive(Debug)]
pub(super) struct Incoming {
    attributes: Vec<KeyValue>,
    start_unix_nano: u64,
    time_unix_nano: u64,
    flags: u32,
    data: Result<Data, Refused>,
}

impl Incoming {
    /// Attributes and numbers; nothing when the process says that it has no number.
    pub(super) fn open(self) -> Result<Option<(Attributes, Point)>, Refused> {
        let Self { attributes, start_unix_nano, time_unix_nano, flags, data } = self;
        if flags & DataPointFlags::NoRecordedValueMask as u32 != 0 {
            return Ok(None);
        }
        Ok(Some((otlp::attributes(attributes), Point { start_unix_nano, time_unix_nano, data: data? })))
    }
}

impl From<NumberDataPoint> for Incoming {
    fn from(point: NumberDataPoint) -> Self {
        let data = match point.value {
            Some(Value::AsInt(number)) => Ok(Data::Int(number)),
            Some(Value::AsDouble(number)) => Ok(Data::Double(number)),
            None => Err(Refused::NoNumber),
        };
        Self {
            attributes: point.attributes,
            start_unix_nano: point.start_time_unix_nano,
            time_unix_nano: point.time_unix_nano,
            flags: point.flags,
            data,
        }
    }
}

impl From<HistogramDataPoint> for Incoming {
    fn from(point: HistogramDataPoint) -> Self {
        let HistogramDataPoint { count, sum, min, max, explicit_bounds: bounds, bucket_counts: buckets, .. } = point;
        let paired = buckets.len() == bounds.len() + 1 || buckets.is_empty() && bounds.is_empty();
        let rising = bounds.iter().all(|bound| bound.is_finite()) && bounds.is_sorted_by(|a, b| a < b);
        let data = match (paired, rising) {
            (false, _) => Err(Refused::Buckets { buckets: buckets.len(), bounds: bounds.len() }),
            (true, false) => Err(Refused::Bounds),
            (true, true) => Ok(Data::Histogram(Box::new(Histogram { count, sum, min, max, bounds, buckets }))),
        };
        Self {
            attributes: point.attributes,
            start_unix_nano: point.start_time_unix_nano,
            time_unix_nano: point.time_unix_nano,
            flags: point.flags,
            data,
        }
    }
}

impl From<ExponentialHistogramDataPoint> for Incoming {
    fn from(point: ExponentialHistogramDataPoint) -> Self {
        let histogram = ExponentialHistogram {
            count: point.count,
            sum: point.sum,
            min: point.min,
            max: point.max,
            scale: point.scale,
            zero_count: point.zero_count,
            zero_threshold: point.zero_threshold,
            positive: buckets(point.positive),
            negative: buckets(point.negative),
        };
        let fits =
            SCALES.contains(&histogram.scale) && has_indexes(&histogram.positive) && has_indexes(&histogram.negative);
        Self {
            attributes: point.attributes,
            start_unix_nano: point.start_time_unix_nano,
            time_unix_nano: point.time_unix_nano,
            flags: point.flags,
            data: fits.then(|| Data::ExponentialHistogram(Box::new(histogram))).ok_or(Refused::ExponentialRange),
        }
    }
}

fn buckets(sent: Option<exponential::Buckets>) -> Buckets {
    sent.map(|sent| Buckets { offset: sent.offset, counts: sent.bucket_counts }).unwrap_or_default()
}

/// Whether every bucket has an index of its own.
fn has_indexes(buckets: &Buckets) -> bool {
    i32::try_from(buckets.counts.len()).is_ok_and(|count| buckets.offset.checked_add(count).is_some())
}

impl From<SummaryDataPoint> for Incoming {
    fn from(point: SummaryDataPoint) -> Self {
        let quantiles = point.quantile_values.into_iter().map(|at| (at.quantile, at.value)).collect();
        Self {
            attributes: point.attributes,
            start_unix_nano: point.start_time_unix_nano,
            time_unix_nano: point.time_unix_nano,
            flags: point.flags,
            data: Ok(Data::Summary(Box::new(Summary { count: point.count, sum: point.sum, quantiles }))),
        }
    }
}
