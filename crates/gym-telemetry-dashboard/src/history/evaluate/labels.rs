//! The words that tell series apart.

use std::borrow::Cow;

use gym_telemetry_collector::{Attributes, Value};

use crate::history::series::Series;
use crate::history::source::Source;

/// The key that stands for the id of a process.
pub(super) const PROCESS: &str = "process";

/// What a series, or else its process, has under `key`.
pub(super) fn label<'a>(key: &str, series: &'a Series, source: &'a Source) -> Option<Cow<'a, str>> {
    if key == PROCESS {
        return Some(series.process.to_string().into());
    }
    let of = |attributes: &'a Attributes| attributes.get(key).map(text);
    of(&series.attributes).or_else(|| of(&source.resource))
}

/// A value as text.
pub(super) fn text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => text.into(),
        Value::Bool(truth) => truth.to_string().into(),
        Value::Int(number) => number.to_string().into(),
        Value::Double(number) => number.get().to_string().into(),
        Value::Empty => "".into(),
        Value::Bytes(bytes) => format!("{} bytes", bytes.len()).into(),
        Value::Array(values) => values.iter().map(text).collect::<Vec<_>>().join(", ").into(),
        Value::Map(attributes) => {
            let pairs = attributes.iter().map(|(key, value)| format!("{key}={}", text(value)));
            pairs.collect::<Vec<_>>().join(", ").into()
        }
        _ => "?".into(),
    }
}
