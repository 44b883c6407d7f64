use gym_telemetry::conventions::{Attribute, Instrument, Kind, Use, ValueType, Values, attributes, metrics, resource};
use gym_telemetry_collector::{Attributes, Data, Kind as Arrived, MetricKey, Point, Resource, Snapshot, Value};

/// Every metric of every process is one of the conventions', to the letter.
pub(crate) fn assert_contract(state: &Snapshot) {
    for process in state.resources() {
        assert_process(process.attributes());
        assert_metrics(process);
    }
}

/// A process says all that there is to say of it.
fn assert_process(attributes: &Attributes) {
    let missing: Vec<_> = resource::ALL.iter().filter(|key| attributes.get(key).is_none()).collect();
    assert!(missing.is_empty(), "a process without {missing:?}: {attributes:?}");
}

fn assert_metrics(process: &Resource) {
    for metric in process.metrics() {
        let name = &*metric.key().name;
        let instrument = metrics::ALL.iter().find(|instrument| instrument.name == name);
        let instrument = instrument.unwrap_or_else(|| panic!("{name} is not in the conventions"));
        assert_eq!(metric.key().unit, instrument.unit, "{name}");
        for (attributes, point) in metric.points() {
            assert!(is_kind(metric.key(), point, instrument.kind), "{name} is {:?}: {point:?}", metric.key().kind);
            assert_attributes(instrument, attributes);
            if let Data::Histogram(histogram) = &point.data {
                assert_eq!(histogram.bounds, instrument.boundaries, "{name}");
            }
        }
    }
}

/// Whether a point is what an instrument of this kind makes.
fn is_kind(key: &MetricKey, point: &Point, kind: Kind) -> bool {
    let whole = matches!(point.data, Data::Int(_));
    match kind {
        Kind::HistogramF64 | Kind::HistogramU64 => key.kind == Arrived::Histogram,
        Kind::CounterU64 | Kind::ObservableCounterU64 => {
            matches!(key.kind, Arrived::Sum { monotonic: true, .. }) && whole
        }
        Kind::ObservableCounterF64 => matches!(key.kind, Arrived::Sum { monotonic: true, .. }) && !whole,
        Kind::UpDownCounterI64 | Kind::ObservableUpDownCounterI64 => {
            matches!(key.kind, Arrived::Sum { monotonic: false, .. }) && whole
        }
        Kind::GaugeU64 | Kind::ObservableGaugeU64 => key.kind == Arrived::Gauge && whole,
        Kind::GaugeF64 => key.kind == Arrived::Gauge && !whole,
        other => panic!("a kind that no test knows: {other:?}"),
    }
}

/// All that are required, none that is not allowed, and values of the right type and set.
fn assert_attributes(instrument: &Instrument, attributes: &Attributes) {
    let name = instrument.name;
    for Use { key, required, .. } in instrument.attributes {
        assert!(!required || attributes.get(key).is_some(), "{name} without {key}: {attributes:?}");
    }
    for (key, value) in attributes.iter() {
        assert!(instrument.attributes.iter().any(|allowed| allowed.key == key), "{name} with {key}");
        let attribute = attributes::ALL.iter().find(|attribute| attribute.key == key).unwrap();
        assert!(is_value(attribute, value), "{name} with {key} = {value:?}");
    }
}

fn is_value(attribute: &Attribute, value: &Value) -> bool {
    match (attribute.value_type, value) {
        (ValueType::Int, Value::Int(_)) | (ValueType::Bool, Value::Bool(_)) => true,
        (ValueType::String, Value::String(text)) => {
            !matches!(attribute.values, Values::Closed(_)) || attribute.values.fixed().contains(&&**text)
        }
        _ => false,
    }
}
