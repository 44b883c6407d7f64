//! OTLP as JSON, numbers that JSON does not know included.

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::metrics::v1::{Metric, NumberDataPoint, metric, number_data_point};
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

/// The doubles of a point and what they are called in JSON, as many as there are.
type Doubles = [(&'static str, Option<f64>); 3];

/// The numbers of a metric that are not finite, and where in its JSON they stand.
fn numbers(metric: &Metric) -> Vec<(String, f64)> {
    let number = |point: &NumberDataPoint| -> Doubles {
        let double = match point.value {
            Some(number_data_point::Value::AsDouble(number)) => Some(number),
            _ => None,
        };
        [("asDouble", double), ("", None), ("", None)]
    };
    let distribution = |sum, min, max| -> Doubles { [("sum", sum), ("min", min), ("max", max)] };
    let (kind, points): (&str, Vec<Doubles>) = match &metric.data {
        Some(metric::Data::Gauge(gauge)) => ("gauge", gauge.data_points.iter().map(number).collect()),
        Some(metric::Data::Sum(sum)) => ("sum", sum.data_points.iter().map(number).collect()),
        Some(metric::Data::Histogram(histogram)) => {
            let points = histogram.data_points.iter();
            ("histogram", points.map(|point| distribution(point.sum, point.min, point.max)).collect())
        }
        Some(metric::Data::ExponentialHistogram(histogram)) => {
            let points = histogram.data_points.iter();
            ("exponentialHistogram", points.map(|point| distribution(point.sum, point.min, point.max)).collect())
        }
        Some(metric::Data::Summary(summary)) => {
            ("summary", summary.data_points.iter().map(|point| distribution(Some(point.sum), None, None)).collect())
        }
        None => return Vec::new(),
    };
    let doubles = points.into_iter().enumerate().flat_map(|(at, doubles)| doubles.map(|double| (at, double)));
    let odd =
        doubles.filter_map(|(at, (field, double))| Some((at, field, double.filter(|double| !double.is_finite())?)));
    odd.map(|(at, field, double)| (format!("{kind}/dataPoints/{at}/{field}"), double)).collect()
}
