//! OTLP as JSON, numbers that JSON does not know included.

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::metrics::v1::{Metric, metric, number_data_point};
use serde::ser::Error;
use serde::{Serialize, Serializer};

/// A request that writes NaN and the infinities as the text that OTLP JSON has for them.
///
/// The generated code writes them as `null`, which means that there is no number. They are rare, so a request without
/// them is written as it is.
#[derive(Debug)]
pub(crate) struct Canonical(pub(crate) ExportMetricsServiceRequest);

impl Serialize for Canonical {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut peculiar = peculiar(&self.0).peekable();
        if peculiar.peek().is_none() {
            return self.0.serialize(serializer);
        }
        let mut tree = serde_json::to_value(&self.0).map_err(S::Error::custom)?;
        for (path, number) in peculiar {
            if let Some(place) = tree.pointer_mut(&path) {
                *place = text(number).into();
            }
        }
        tree.serialize(serializer)
    }
}

fn text(number: f64) -> &'static str {
    match number {
        f64::INFINITY => "Infinity",
        f64::NEG_INFINITY => "-Infinity",
        _ => "NaN",
    }
}

/// Where in the JSON a number stands that is not finite.
fn peculiar(request: &ExportMetricsServiceRequest) -> impl Iterator<Item = (String, f64)> {
    let resources = request.resource_metrics.iter().enumerate();
    let scopes = resources.flat_map(|(r, resource)| {
        let scopes = resource.scope_metrics.iter().enumerate();
        scopes.map(move |(s, scope)| (format!("/resourceMetrics/{r}/scopeMetrics/{s}"), scope))
    });
    scopes.flat_map(|(path, scope)| {
        let metrics = scope.metrics.iter().enumerate();
        metrics.flat_map(move |(m, metric)| {
            let path = format!("{path}/metrics/{m}");
            numbers(metric).into_iter().map(move |(inner, number)| (format!("{path}/{inner}"), number))
        })
    })
}

/// The numbers of a metric that are not finite, and where in its JSON they stand.
fn numbers(metric: &Metric) -> Vec<(String, f64)> {
    let mut found = Vec::new();
    let mut note = |kind: &str, point: usize, field: &str, number: Option<f64>| {
        if let Some(number) = number.filter(|number| !number.is_finite()) {
            found.push((format!("{kind}/dataPoints/{point}/{field}"), number));
        }
    };
    let double = |value: &Option<number_data_point::Value>| match value {
        Some(number_data_point::Value::AsDouble(number)) => Some(*number),
        _ => None,
    };
    match &metric.data {
        Some(metric::Data::Gauge(gauge)) => {
            gauge.data_points.iter().enumerate().for_each(|(at, p)| note("gauge", at, "asDouble", double(&p.value)));
        }
        Some(metric::Data::Sum(sum)) => {
            sum.data_points.iter().enumerate().for_each(|(at, p)| note("sum", at, "asDouble", double(&p.value)));
        }
        Some(metric::Data::Histogram(histogram)) => {
            for (at, p) in histogram.data_points.iter().enumerate() {
                for (field, number) in [("sum", p.sum), ("min", p.min), ("max", p.max)] {
                    note("histogram", at, field, number);
                }
            }
        }
        Some(metric::Data::ExponentialHistogram(histogram)) => {
            for (at, p) in histogram.data_points.iter().enumerate() {
                for (field, number) in [("sum", p.sum), ("min", p.min), ("max", p.max)] {
                    note("exponentialHistogram", at, field, number);
                }
            }
        }
        Some(metric::Data::Summary(summary)) => {
            summary.data_points.iter().enumerate().for_each(|(at, p)| note("summary", at, "sum", Some(p.sum)));
        }
        None => {}
    }
    found
}
