//! Every instrument of the contract, recorded and described.

use gym_telemetry_conventions::{Instrument, Kind, ValueType, attributes, metrics};
use opentelemetry::{
    KeyValue,
    metrics::{Meter, MeterProvider},
};
use opentelemetry_proto::tonic::{
    collector::metrics::v1::ExportMetricsServiceRequest,
    common::v1::KeyValue as ProtoKeyValue,
    metrics::v1::{Metric, metric::Data, number_data_point::Value},
};

use super::receiver::attribute;

/// A value for each attribute that an instrument may carry.
fn attributes_of(instrument: &Instrument) -> Vec<KeyValue> {
    let value_type = |key| attributes::ALL.iter().find(|attribute| attribute.key == key).unwrap().value_type;
    let keys = instrument.attributes.iter().map(|attribute| attribute.key);
    keys.map(|key| match value_type(key) {
        ValueType::Int => KeyValue::new(key, 200),
        ValueType::Bool => KeyValue::new(key, true),
        _ => KeyValue::new(key, "a"),
    })
    .collect()
}

/// Creates an instrument as its descriptor says, and records one value.
fn record(meter: &Meter, instrument: &Instrument) {
    let attributes = attributes_of(instrument);
    macro_rules! synchronous {
        ($method:ident $record:ident $value:expr) => {
            meter
                .$method(instrument.name)
                .with_unit(instrument.unit)
                .with_description(instrument.description)
                .build()
                .$record($value, &attributes)
        };
    }
    macro_rules! observed {
        ($method:ident $value:expr) => {
            drop(
                meter
                    .$method(instrument.name)
                    .with_unit(instrument.unit)
                    .with_description(instrument.description)
                    .with_callback(move |observer| observer.observe($value, &attributes))
                    .build(),
            )
        };
    }
    macro_rules! histogram {
        ($method:ident $value:expr) => {
            meter
                .$method(instrument.name)
                .with_unit(instrument.unit)
                .with_description(instrument.description)
                .with_boundaries(instrument.boundaries.to_vec())
                .build()
                .record($value, &attributes)
        };
    }
    match instrument.kind {
        Kind::HistogramF64 => histogram!(f64_histogram 2.5),
        Kind::HistogramU64 => histogram!(u64_histogram 2),
        Kind::CounterU64 => synchronous!(u64_counter add 3),
        Kind::UpDownCounterI64 => synchronous!(i64_up_down_counter add 3),
        Kind::GaugeU64 => synchronous!(u64_gauge record 3),
        Kind::GaugeF64 => synchronous!(f64_gauge record 0.5),
        Kind::ObservableCounterU64 => observed!(u64_observable_counter 3),
        Kind::ObservableCounterF64 => observed!(f64_observable_counter 1.5),
        Kind::ObservableUpDownCounterI64 => observed!(i64_observable_up_down_counter 3),
        Kind::ObservableGaugeU64 => observed!(u64_observable_gauge 3),
        other => panic!("an instrument of a new kind: {other:?}"),
    }
}

/// Records every instrument, each through the meter of the crate that could own it.
pub(crate) fn record_all(meters: &impl MeterProvider) {
    for (index, instrument) in metrics::ALL.iter().enumerate() {
        record(&meters.meter(["core", "tower", "driver"][index % 3]), instrument);
    }
}

/// The kind of an instrument's metric, and its value as [`record`] leaves it.
fn expected_of(instrument: &Instrument) -> (String, &'static str) {
    let total = |value| ("sum grows".to_owned(), value);
    let bounds: Vec<_> = instrument.boundaries.iter().map(ToString::to_string).collect();
    let histogram = |value| (format!("histogram {}", bounds.join(" ")), value);
    match instrument.kind {
        Kind::HistogramF64 => histogram("1 2.5"),
        Kind::HistogramU64 => histogram("1 2"),
        Kind::CounterU64 | Kind::ObservableCounterU64 => total("3"),
        Kind::ObservableCounterF64 => total("1.5"),
        Kind::UpDownCounterI64 | Kind::ObservableUpDownCounterI64 => ("sum".to_owned(), "3"),
        Kind::GaugeF64 => ("gauge".to_owned(), "0.5"),
        _ => ("gauge".to_owned(), "3"),
    }
}

/// What arrives of [`record_all`], one line a metric: name, unit, description, kind, attributes, value.
pub(crate) fn expected_lines() -> Vec<String> {
    let line = |instrument: &Instrument| {
        let (kind, value) = expected_of(instrument);
        let mut attributes: Vec<_> =
            attributes_of(instrument).iter().map(|one| format!("{}={}", one.key, one.value)).collect();
        attributes.sort();
        let Instrument { name, unit, description, .. } = instrument;
        format!("{name}|{unit}|{description}|{kind}|{}|{value}", attributes.join(" "))
    };
    sorted(metrics::ALL.iter().map(line).collect())
}

/// The same lines of what did arrive.
pub(crate) fn lines(request: &ExportMetricsServiceRequest) -> Vec<String> {
    let scopes = request.resource_metrics.iter().flat_map(|resource| &resource.scope_metrics);
    sorted(scopes.flat_map(|scope| &scope.metrics).map(line).collect())
}

fn line(metric: &Metric) -> String {
    let number = |value: Option<Value>| match value.unwrap() {
        Value::AsInt(value) => value.to_string(),
        Value::AsDouble(value) => value.to_string(),
    };
    let (kind, attributes, value) = match metric.data.as_ref().unwrap() {
        Data::Gauge(gauge) => {
            let point = &gauge.data_points[0];
            ("gauge".to_owned(), &point.attributes, number(point.value))
        }
        Data::Sum(sum) => {
            let point = &sum.data_points[0];
            let kind = if sum.is_monotonic { "sum grows" } else { "sum" };
            (kind.to_owned(), &point.attributes, number(point.value))
        }
        Data::Histogram(histogram) => {
            let point = &histogram.data_points[0];
            let bounds: Vec<_> = point.explicit_bounds.iter().map(ToString::to_string).collect();
            let value = format!("{} {}", point.count, point.sum.unwrap());
            (format!("histogram {}", bounds.join(" ")), &point.attributes, value)
        }
        other => panic!("an unexpected kind: {other:?}"),
    };
    let Metric { name, unit, description, .. } = metric;
    format!("{name}|{unit}|{description}|{kind}|{}|{value}", joined(attributes))
}

fn joined(attributes: &[ProtoKeyValue]) -> String {
    let text = |one: &ProtoKeyValue| format!("{}={}", one.key, attribute(attributes, &one.key).unwrap());
    sorted(attributes.iter().map(text).collect()).join(" ")
}

fn sorted(mut lines: Vec<String>) -> Vec<String> {
    lines.sort();
    lines
}
