//! Attributes and scopes out of OTLP.

use opentelemetry_proto::tonic::common::v1::any_value::Value as Sent;
use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue};

use crate::model::{Attributes, Scope, Value};

pub(crate) fn attributes(sent: Vec<KeyValue>) -> Attributes {
    sent.into_iter().map(|pair| (pair.key, value(pair.value))).collect()
}

pub(crate) fn scope(sent: Option<InstrumentationScope>, schema_url: String) -> Scope {
    let InstrumentationScope { name, version, attributes: pairs, .. } = sent.unwrap_or_default();
    Scope { name, version, attributes: attributes(pairs), schema_url }
}

fn value(sent: Option<AnyValue>) -> Value {
    match sent.and_then(|sent| sent.value) {
        Some(Sent::StringValue(text)) => Value::String(text),
        Some(Sent::BoolValue(truth)) => Value::Bool(truth),
        Some(Sent::IntValue(number)) => Value::Int(number),
        Some(Sent::DoubleValue(number)) => Value::Double(number.into()),
        Some(Sent::BytesValue(bytes)) => Value::Bytes(bytes),
        Some(Sent::ArrayValue(list)) => Value::Array(list.values.into_iter().map(|sent| value(Some(sent))).collect()),
        Some(Sent::KvlistValue(map)) => Value::Map(attributes(map.values)),
        // An index into a table that only profiles have.
        Some(Sent::StringValueStrindex(_)) | None => Value::Empty,
    }
}
