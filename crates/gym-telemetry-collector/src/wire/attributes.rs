//! Attributes and scopes.

use std::borrow::Cow;
use std::ops::Range;

use super::fields::{Fields, Payload};
use crate::model::{Attributes, Scope, Value};

/// The attributes of something as they were sent: fields with a key and a value each.
#[derive(Debug, Default)]
pub(crate) struct Pairs<'a> {
    bytes: Cow<'a, [u8]>,
    end: usize,
}

impl<'a> Pairs<'a> {
    /// Adds the field that lies at `place` of `message`. As a rule it follows on the one before, and nothing is copied.
    pub(super) fn add(&mut self, message: &'a [u8], place: Range<usize>) {
        match &mut self.bytes {
            Cow::Borrowed([]) => self.bytes = slice(message, place.clone()).into(),
            Cow::Borrowed(run) if self.end == place.start => {
                self.bytes = slice(message, place.start - run.len()..place.end).into();
            }
            scattered => scattered.to_mut().extend_from_slice(slice(message, place.clone())),
        }
        self.end = place.end;
    }

    /// What was sent; the same bytes are the same attributes.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn read(&self) -> Attributes {
        Fields::of(&self.bytes).filter_map(|field| pair(field.payload)).collect()
    }
}

fn slice(message: &[u8], place: Range<usize>) -> &[u8] {
    message.get(place).unwrap_or_default()
}

/// The attributes in the fields `number` of `message`.
pub(crate) fn attributes(message: &[u8], number: u64) -> Pairs<'_> {
    let mut pairs = Pairs::default();
    Fields::of(message).filter(|field| field.number == number).for_each(|field| pairs.add(message, field.place));
    pairs
}

/// The library that a message of this kind says reported something.
pub(crate) fn scope(message: &[u8], schema_url: &str) -> Scope {
    let text = |number| Fields::of(message).filter(|field| field.number == number).last();
    let text = |number| text(number).map(|field| self::text(field.payload).to_owned()).unwrap_or_default();
    let attributes = attributes(message, 3).read();
    Scope { name: text(1), version: text(2), attributes, schema_url: schema_url.to_owned() }
}

/// The text of a field.
pub(crate) fn text(payload: Payload<'_>) -> &str {
    match payload {
        Payload::Bytes(text) => str::from_utf8(text).unwrap_or_default(),
        _ => "",
    }
}

fn pair(payload: Payload<'_>) -> Option<(String, Value)> {
    let Payload::Bytes(message) = payload else { return None };
    let (mut key, mut held) = ("", Value::Empty);
    for field in Fields::of(message) {
        match (field.number, field.payload) {
            (1, payload) => key = text(payload),
            (2, Payload::Bytes(message)) => held = value(message),
            _ => (),
        }
    }
    Some((key.to_owned(), held))
}

fn value(message: &[u8]) -> Value {
    let mut held = Value::Empty;
    for field in Fields::of(message) {
        held = match (field.number, field.payload) {
            (1, payload) => Value::String(text(payload).to_owned()),
            (2, Payload::Varint(truth)) => Value::Bool(truth != 0),
            (3, Payload::Varint(number)) => Value::Int(number.cast_signed()),
            (4, Payload::Fixed64(bits)) => Value::Double(f64::from_bits(bits).into()),
            (5, Payload::Bytes(list)) => {
                Value::Array(Fields::of(list).filter_map(|item| item.payload.message()).map(value).collect())
            }
            (6, Payload::Bytes(map)) => Value::Map(attributes(map, 1).read()),
            (7, Payload::Bytes(bytes)) => Value::Bytes(bytes.to_owned()),
            // An index into a table that only profiles have, among others.
            _ => held,
        };
    }
    held
}
