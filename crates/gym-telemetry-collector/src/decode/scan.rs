//! Counting the messages of a body before there are any.
//!
//! An empty message is two bytes of protobuf and up to a few hundred bytes once decoded, so the length of a body alone
//! says little about the memory that it will need.

use super::DecodeError;

/// The decoder gives up at about this depth, too.
const MAX_DEPTH: usize = 100;

/// The messages of a metrics request that can hold, or be, many others.
#[derive(Debug, Clone, Copy)]
enum Message {
    Request,
    ResourceMetrics,
    Resource,
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
    Summary,
    Exemplar,
    KeyValue,
    AnyValue,
    Array,
    Map,
    Leaf,
}

impl Message {
    /// The message in the field `number`.
    fn field(self, number: usize) -> Option<Self> {
        Some(match (self, number) {
            (Self::Request, 1) => Self::ResourceMetrics,
            (Self::ResourceMetrics, 1) => Self::Resource,
            (Self::ResourceMetrics, 2) => Self::ScopeMetrics,
            (Self::ScopeMetrics, 1) => Self::Scope,
            (Self::ScopeMetrics, 2) => Self::Metric,
            (Self::Metric, 5 | 7) => Self::Numbers,
            (Self::Metric, 9) => Self::Histograms,
            (Self::Metric, 10) => Self::ExponentialHistograms,
            (Self::Metric, 11) => Self::Summaries,
            (Self::Numbers, 1) => Self::Number,
            (Self::Histograms, 1) => Self::Histogram,
            (Self::ExponentialHistograms, 1) => Self::ExponentialHistogram,
            (Self::Summaries, 1) => Self::Summary,
            (Self::Number, 5) | (Self::Histogram, 8) | (Self::ExponentialHistogram, 11) => Self::Exemplar,
            (Self::Resource | Self::ExponentialHistogram | Self::Map, 1)
            | (Self::Scope, 3)
            | (Self::Number | Self::Summary | Self::Exemplar, 7)
            | (Self::Histogram, 9)
            | (Self::Metric, 12) => Self::KeyValue,
            (Self::KeyValue, 2) | (Self::Array, 1) => Self::AnyValue,
            (Self::AnyValue, 5) => Self::Array,
            (Self::AnyValue, 6) => Self::Map,
            (Self::Resource, 3) | (Self::Summary, 6) => Self::Leaf,
            _ => return None,
        })
    }
}

/// Fails when `body` has more than `limit` messages, or cannot be walked through.
pub(super) fn protobuf(body: &[u8], limit: usize) -> Result<(), DecodeError> {
    let mut left = limit;
    walk(Message::Request, body, &mut left, MAX_DEPTH).map_err(|stop| match stop {
        Stop::Full => DecodeError::TooManyMessages { limit },
        Stop::Broken => DecodeError::Wire,
    })
}

enum Stop {
    Full,
    Broken,
}

fn walk(message: Message, mut body: &[u8], left: &mut usize, depth: usize) -> Result<(), Stop> {
    let depth = depth.checked_sub(1).ok_or(Stop::Broken)?;
    while !body.is_empty() {
        let key = varint(&mut body)?;
        // The lowest three bits say how long the field is; groups, which OTLP has none of, are among the others.
        let length = match key & 7 {
            0 => {
                varint(&mut body)?;
                continue;
            }
            1 => 8,
            2 => varint(&mut body)?,
            5 => 4,
            _ => return Err(Stop::Broken),
        };
        let (field, rest) = body.split_at_checked(length).ok_or(Stop::Broken)?;
        body = rest;
        if let (2, Some(inner)) = (key & 7, message.field(key >> 3)) {
            *left = left.checked_sub(1).ok_or(Stop::Full)?;
            walk(inner, field, left, depth)?;
        }
    }
    Ok(())
}

fn varint(body: &mut &[u8]) -> Result<usize, Stop> {
    prost::decode_length_delimiter(body).map_err(|_| Stop::Broken)
}

/// Fails when `body` has more than `limit` objects. Braces in text count as well, which real requests can afford.
pub(super) fn json(body: &[u8], limit: usize) -> Result<(), DecodeError> {
    let objects = body.iter().filter(|byte| **byte == b'{').count();
    if objects > limit { Err(DecodeError::TooManyMessages { limit }) } else { Ok(()) }
}
