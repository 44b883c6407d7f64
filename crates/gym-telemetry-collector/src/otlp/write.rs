//! What is held, as OTLP.

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Sent;
use opentelemetry_proto::tonic::common::v1::{AnyValue, ArrayValue, InstrumentationScope, KeyValue, KeyValueList};
use opentelemetry_proto::tonic::metrics::v1::exponential_histogram_data_point as exponential;
use opentelemetry_proto::tonic::metrics::v1::summary_data_point::ValueAtQuantile;
use opentelemetry_proto::tonic::metrics::v1::{self as wire, metric, number_data_point};
use opentelemetry_proto::tonic::resource::v1::Resource as SentResource;

use crate::model::{Attributes, Buckets, Data, Kind, Metric, Point, Resource, Scope, Value};

/// One process with all its metrics.
pub(crate) fn request(resource: &Resource) -> ExportMetricsServiceRequest {
    let mut scopes: Vec<wire::ScopeMetrics> = Vec::new();
    let mut last = None;
    // Metrics come by scope, so those of one scope stand together.
    for metric in resource.metrics() {
        let scope = metric.key().scope.as_ref();
        if last.replace(scope) != Some(scope) {
            let schema_url = scope.schema_url.clone();
            scopes.push(wire::ScopeMetrics { scope: Some(scope_of(scope)), metrics: Vec::new(), schema_url });
        }
        if let Some(current) = scopes.last_mut() {
            current.metrics.push(metric_of(metric));
        }
    }
    let sent = SentResource { attributes: key_values(resource.attributes()), ..SentResource::default() };
    let schema_url = resource.schema_url().to_owned();
    let resource = wire::ResourceMetrics { resource: Some(sent), scope_metrics: scopes, schema_url };
    ExportMetricsServiceRequest { resource_metrics: vec![resource] }
}

fn scope_of(scope: &Scope) -> InstrumentationScope {
    InstrumentationScope {
        name: scope.name.clone(),
        version: scope.version.clone(),
        attributes: key_values(&scope.attributes),
        dropped_attributes_count: 0,
    }
}

fn metric_of(metric: &Metric) -> wire::Metric {
    let aggregation_temporality = wire::AggregationTemporality::Cumulative.into();
    let data = match metric.key().kind {
        Kind::Gauge => metric::Data::Gauge(wire::Gauge { data_points: points(metric, number) }),
        Kind::Sum { monotonic: is_monotonic } => {
            let data_points = points(metric, number);
            metric::Data::Sum(wire::Sum { data_points, aggregation_temporality, is_monotonic })
        }
        Kind::Histogram => {
            let data_points = points(metric, histogram);
            metric::Data::Histogram(wire::Histogram { data_points, aggregation_temporality })
        }
        Kind::ExponentialHistogram => {
            let data_points = points(metric, exponential_histogram);
            metric::Data::ExponentialHistogram(wire::ExponentialHistogram { data_points, aggregation_temporality })
        }
        Kind::Summary => metric::Data::Summary(wire::Summary { data_points: points(metric, summary) }),
    };
    wire::Metric {
        name: metric.key().name.clone(),
        description: metric.description().to_owned(),
        unit: metric.key().unit.clone(),
        metadata: Vec::new(),
        data: Some(data),
    }
}

fn points<P>(metric: &Metric, convert: fn(&Attributes, &Point) -> Option<P>) -> Vec<P> {
    metric.points().filter_map(|(attributes, point)| convert(attributes, point)).collect()
}

fn number(attributes: &Attributes, point: &Point) -> Option<wire::NumberDataPoint> {
    let value = match point.data {
        Data::Int(number) => number_data_point::Value::AsInt(number),
        Data::Double(number) => number_data_point::Value::AsDouble(number),
        _ => return None,
    };
    Some(wire::NumberDataPoint {
        attributes: key_values(attributes),
        start_time_unix_nano: point.start_unix_nano,
        time_unix_nano: point.time_unix_nano,
        value: Some(value),
        ..wire::NumberDataPoint::default()
    })
}

fn histogram(attributes: &Attributes, point: &Point) -> Option<wire::HistogramDataPoint> {
    let Data::Histogram(histogram) = &point.data else { return None };
    Some(wire::HistogramDataPoint {
        attributes: key_values(attributes),
        start_time_unix_nano: point.start_unix_nano,
        time_unix_nano: point.time_unix_nano,
        count: histogram.count,
        sum: histogram.sum,
        bucket_counts: histogram.buckets.clone(),
        explicit_bounds: histogram.bounds.clone(),
        min: histogram.min,
        max: histogram.max,
        ..wire::HistogramDataPoint::default()
    })
}

fn exponential_histogram(attributes: &Attributes, point: &Point) -> Option<wire::ExponentialHistogramDataPoint> {
    let Data::ExponentialHistogram(histogram) = &point.data else { return None };
    let buckets =
        |Buckets { offset, counts }: &Buckets| exponential::Buckets { offset: *offset, bucket_counts: counts.clone() };
    Some(wire::ExponentialHistogramDataPoint {
        attributes: key_values(attributes),
        start_time_unix_nano: point.start_unix_nano,
        time_unix_nano: point.time_unix_nano,
        count: histogram.count,
        sum: histogram.sum,
        scale: histogram.scale,
        zero_count: histogram.zero_count,
        positive: Some(buckets(&histogram.positive)),
        negative: Some(buckets(&histogram.negative)),
        min: histogram.min,
        max: histogram.max,
        zero_threshold: histogram.zero_threshold,
        ..wire::ExponentialHistogramDataPoint::default()
    })
}

fn summary(attributes: &Attributes, point: &Point) -> Option<wire::SummaryDataPoint> {
    let Data::Summary(summary) = &point.data else { return None };
    let quantile_values = summary.quantiles.iter().map(|&(quantile, value)| ValueAtQuantile { quantile, value });
    Some(wire::SummaryDataPoint {
        attributes: key_values(attributes),
        start_time_unix_nano: point.start_unix_nano,
        time_unix_nano: point.time_unix_nano,
        count: summary.count,
        sum: summary.sum,
        quantile_values: quantile_values.collect(),
        ..wire::SummaryDataPoint::default()
    })
}

fn key_values(attributes: &Attributes) -> Vec<KeyValue> {
    let pair = |(key, value): (&str, &Value)| KeyValue {
        key: key.to_owned(),
        value: Some(any_value(value)),
        ..KeyValue::default()
    };
    attributes.iter().map(pair).collect()
}

fn any_value(value: &Value) -> AnyValue {
    let value = match value {
        Value::Empty => None,
        Value::Bool(truth) => Some(Sent::BoolValue(*truth)),
        Value::Int(number) => Some(Sent::IntValue(*number)),
        Value::Double(number) => Some(Sent::DoubleValue(number.get())),
        Value::String(text) => Some(Sent::StringValue(text.clone())),
        Value::Bytes(bytes) => Some(Sent::BytesValue(bytes.clone())),
        Value::Array(values) => {
            let values = values.iter().map(any_value).collect();
            Some(Sent::ArrayValue(ArrayValue { values }))
        }
        Value::Map(attributes) => Some(Sent::KvlistValue(KeyValueList { values: key_values(attributes) })),
    };
    AnyValue { value }
}
