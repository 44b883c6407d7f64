//! Whether a body is a metrics request, and made of how many messages.
//!
//! A message of two bytes may need a hundred once it is held, so the length of a body alone says little.

use super::fields::{Broken, Fields, Payload};

/// No sender nests attributes as deeply.
const MAX_DEPTH: usize = 100;

/// The messages that a metrics request is made of.
#[derive(Debug, Clone, Copy)]
enum Message {
    Request,
    ResourceMetrics,
    Resource,
    EntityRef,
    ScopeMetrics,
    Scope,
    Metric,
    Numbers,
    Histograms,
    ExponentialHistograms,
    Summaries,
    Number,
    Histogram,
    ExponentialHistogram,
    Buckets,
    Summary,
    Quantile,
    Exemplar,
    KeyValue,
    AnyValue,
    Array,
    Map,
}

/// What a field is made of.
#[derive(Debug, Clone, Copy)]
enum Shape {
    Inner(Message),
    Text,
    Bytes,
    Varint,
    Fixed64,
    /// One, or several in one field.
    Varints,
    /// One, or several in one field.
    Fixed64s,
}

impl Message {
    /// What the field `number` is made of; nothing when it is not known here, so that it may be anything.
    fn field(self, number: u64) -> Option<Shape> {
        use Shape::{Bytes, Fixed64, Fixed64s, Inner, Text, Varint, Varints};
        Some(match (self, number) {
            (Self::Request, 1) => Inner(Self::ResourceMetrics),
            (Self::ResourceMetrics, 1) => Inner(Self::Resource),
            (Self::ResourceMetrics, 2) => Inner(Self::ScopeMetrics),
            (Self::ScopeMetrics, 1) => Inner(Self::Scope),
            (Self::ScopeMetrics, 2) => Inner(Self::Metric),
            (Self::ResourceMetrics | Self::ScopeMetrics, 3) => Text,
            (Self::Resource, 3) => Inner(Self::EntityRef),
            (Self::EntityRef, 1..=4) => Text,
            (Self::Scope, 1 | 2) => Text,
            (Self::Resource, 2) | (Self::Scope, 4) => Varint,
            (Self::Metric, 1..=3) => Text,
            (Self::Metric, 5 | 7) => Inner(Self::Numbers),
            (Self::Metric, 9) => Inner(Self::Histograms),
            (Self::Metric, 10) => Inner(Self::ExponentialHistograms),
            (Self::Metric, 11) => Inner(Self::Summaries),
            (Self::Numbers, 1) => Inner(Self::Number),
            (Self::Histograms, 1) => Inner(Self::Histogram),
            (Self::ExponentialHistograms, 1) => Inner(Self::ExponentialHistogram),
            (Self::Summaries, 1) => Inner(Self::Summary),
            (Self::Numbers, 2 | 3) | (Self::Histograms | Self::ExponentialHistograms, 2) => Varint,
            (Self::Number, 2..=4 | 6) | (Self::Exemplar, 2 | 3 | 6) => Fixed64,
            (Self::Histogram, 2..=5 | 11 | 12) => Fixed64,
            (Self::ExponentialHistogram, 2..=5 | 7 | 12..=14) => Fixed64,
            (Self::Summary, 2..=5) | (Self::Quantile, 1 | 2) => Fixed64,
            (Self::Histogram, 6 | 7) => Fixed64s,
            (Self::ExponentialHistogram, 8 | 9) => Inner(Self::Buckets),
            (Self::Buckets, 2) => Varints,
            (Self::Number | Self::Summary, 8) | (Self::Histogram, 10) => Varint,
            (Self::ExponentialHistogram, 6 | 10) | (Self::Buckets, 1) => Varint,
            (Self::Summary, 6) => Inner(Self::Quantile),
            (Self::Number, 5) | (Self::Histogram, 8) | (Self::ExponentialHistogram, 11) => Inner(Self::Exemplar),
            (Self::Resource | Self::ExponentialHistogram | Self::Map, 1) => Inner(Self::KeyValue),
            (Self::Number | Self::Summary | Self::Exemplar, 7) => Inner(Self::KeyValue),
            (Self::Scope, 3) | (Self::Histogram, 9) | (Self::Metric, 12) => Inner(Self::KeyValue),
            (Self::KeyValue, 1) => Text,
            (Self::KeyValue, 2) | (Self::Array, 1) => Inner(Self::AnyValue),
            (Self::KeyValue, 3) => Varint,
            (Self::AnyValue, 1) => Text,
            (Self::AnyValue, 2 | 3 | 8) => Varint,
            (Self::AnyValue, 4) => Fixed64,
            (Self::AnyValue, 5) => Inner(Self::Array),
            (Self::AnyValue, 6) => Inner(Self::Map),
            (Self::AnyValue, 7) | (Self::Exemplar, 4 | 5) => Bytes,
            _ => return None,
        })
    }
}

/// Why a body is no request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It has too many messages.
    Full,
    /// It is no protobuf message.
    Broken,
    /// It is a protobuf message, but not this one.
    Other,
}

impl From<Broken> for Fault {
    fn from(_: Broken) -> Self {
        Self::Broken
    }
}

/// Fails when `body` is no metrics request, or one of more than `limit` messages.
pub(crate) fn check(body: &[u8], limit: usize) -> Result<(), Fault> {
    let mut left = limit;
    walk(Message::Request, body, &mut left, MAX_DEPTH)
}

fn walk(message: Message, body: &[u8], left: &mut usize, depth: usize) -> Result<(), Fault> {
    let depth = depth.checked_sub(1).ok_or(Fault::Broken)?;
    let mut fields = Fields::of(body);
    while let Some(field) = fields.read()? {
        let fits = match (message.field(field.number), field.payload) {
            (Some(Shape::Inner(inner)), Payload::Bytes(body)) => {
                *left = left.checked_sub(1).ok_or(Fault::Full)?;
                walk(inner, body, left, depth)?;
                true
            }
            (Some(Shape::Text), Payload::Bytes(text)) => text.is_ascii() || str::from_utf8(text).is_ok(),
            (Some(Shape::Varints), Payload::Bytes(numbers)) => {
                let mut numbers = Fields::of(numbers);
                while !numbers.is_empty() {
                    numbers.varint()?;
                }
                true
            }
            (Some(Shape::Fixed64s), Payload::Bytes(numbers)) => numbers.len() % size_of::<u64>() == 0,
            (None | Some(Shape::Bytes), Payload::Bytes(_))
            | (None | Some(Shape::Varint | Shape::Varints), Payload::Varint(_))
            | (None | Some(Shape::Fixed64 | Shape::Fixed64s), Payload::Fixed64(_))
            | (None, Payload::Fixed32) => true,
            _ => false,
        };
        if !fits {
            return Err(Fault::Other);
        }
    }
    Ok(())
}
