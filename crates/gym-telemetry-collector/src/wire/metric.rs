//! One metric and what its points have in common.

use super::attributes::text;
use super::fields::{Fields, Payload};
use crate::model::Kind;

/// The number of the points in each sort of metric.
const POINTS: u64 = 1;

/// One metric as it was sent.
#[derive(Debug, Default)]
pub(crate) struct Sent<'a> {
    pub(crate) name: &'a str,
    pub(crate) description: &'a str,
    pub(crate) unit: &'a str,
    pub(crate) batch: Option<Batch<'a>>,
}

/// The points of one metric.
#[derive(Debug)]
pub(crate) struct Batch<'a> {
    pub(crate) kind: Kind,
    /// Whether each point is a difference to the one before it; `None` when the process does not say.
    pub(crate) delta: Option<bool>,
    message: &'a [u8],
}

impl<'a> Sent<'a> {
    pub(crate) fn read(message: &'a [u8]) -> Self {
        let mut sent = Self::default();
        for field in Fields::of(message) {
            match (field.number, field.payload) {
                (1, payload) => sent.name = text(payload),
                (2, payload) => sent.description = text(payload),
                (3, payload) => sent.unit = text(payload),
                (number, Payload::Bytes(data)) => sent.batch = Batch::read(number, data).or(sent.batch),
                _ => (),
            }
        }
        sent
    }
}

impl<'a> Batch<'a> {
    /// The points in the field `number` of a metric; nothing if it has no points.
    fn read(number: u64, message: &'a [u8]) -> Option<Self> {
        let varint = |number| {
            let found = Fields::of(message).filter(|field| field.number == number).last();
            found.map_or(0, |field| if let Payload::Varint(number) = field.payload { number } else { 0 })
        };
        let temporality = || match varint(2) {
            1 => Some(true),
            2 => Some(false),
            _ => None,
        };
        let (kind, delta) = match number {
            5 => (Kind::Gauge, Some(false)),
            7 => (Kind::Sum { monotonic: varint(3) != 0 }, temporality()),
            9 => (Kind::Histogram, temporality()),
            10 => (Kind::ExponentialHistogram, temporality()),
            11 => (Kind::Summary, Some(false)),
            _ => return None,
        };
        Some(Self { kind, delta, message })
    }

    /// Each point.
    pub(crate) fn points(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let points = Fields::of(self.message).filter(|field| field.number == POINTS);
        points.filter_map(|field| field.payload.message())
    }
}
