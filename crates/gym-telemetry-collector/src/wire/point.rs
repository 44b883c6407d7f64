//! One point.

use std::mem;

use opentelemetry_proto::tonic::metrics::v1::DataPointFlags;

use super::attributes::Pairs;
use super::fields::{Fields, Payload};
use crate::model::{Buckets, Data, ExponentialHistogram, Histogram, Kind, Point, Summary};

/// What a point says beside its numbers and times.
#[derive(Debug, Default)]
pub(crate) struct Incoming<'a> {
    pub(crate) pairs: Pairs<'a>,
    /// The process says that it has no number.
    pub(crate) blank: bool,
    /// There is a number.
    pub(crate) numbered: bool,
}

impl<'a> Incoming<'a> {
    /// Reads a point of this kind into `point`, whose room is used again if it held one of the same kind.
    pub(crate) fn read(kind: Kind, message: &'a [u8], point: &mut Point) -> Self {
        (point.start_unix_nano, point.time_unix_nano) = (0, 0);
        match kind {
            Kind::Gauge | Kind::Sum { .. } => number(message, point),
            Kind::Histogram => histogram(message, point),
            Kind::ExponentialHistogram => exponential(message, point),
            Kind::Summary => summary(message, point),
        }
    }

    /// What the fields say that every sort of point has, though the flags and the attributes under numbers of its own.
    #[inline]
    fn common(
        message: &'a [u8],
        point: &mut Point,
        flags: u64,
        pairs: u64,
        mut own: impl FnMut(u64, Payload<'a>),
    ) -> Self {
        let mut incoming = Self { numbered: true, ..Self::default() };
        for field in Fields::of(message) {
            match (field.number, field.payload) {
                (number, Payload::Bytes(_)) if number == pairs => incoming.pairs.add(message, field.place),
                (2, Payload::Fixed64(start)) => point.start_unix_nano = start,
                (3, Payload::Fixed64(time)) => point.time_unix_nano = time,
                (number, Payload::Varint(set)) if number == flags => {
                    incoming.blank = set & DataPointFlags::NoRecordedValueMask as u64 != 0;
                }
                (number, payload) => own(number, payload),
            }
        }
        incoming
    }
}

fn number<'a>(message: &'a [u8], point: &mut Point) -> Incoming<'a> {
    let mut data = None;
    let incoming = Incoming::common(message, point, 8, 7, |number, payload| match (number, payload) {
        (4, Payload::Fixed64(bits)) => data = Some(Data::Double(f64::from_bits(bits))),
        (6, Payload::Fixed64(bits)) => data = Some(Data::Int(bits.cast_signed())),
        _ => (),
    });
    let numbered = data.is_some();
    if let Some(data) = data {
        point.data = data;
    }
    Incoming { numbered, ..incoming }
}

fn histogram<'a>(message: &'a [u8], point: &mut Point) -> Incoming<'a> {
    let mut held = match mem::replace(&mut point.data, Data::Int(0)) {
        Data::Histogram(held) => held,
        _ => Box::default(),
    };
    let Histogram { bounds, buckets, .. } = mem::take(&mut *held);
    (held.bounds, held.buckets) = (cleared(bounds), cleared(buckets));
    let incoming = Incoming::common(message, point, 10, 9, |number, payload| match (number, payload) {
        (4, Payload::Fixed64(count)) => held.count = count,
        (5, Payload::Fixed64(bits)) => held.sum = Some(f64::from_bits(bits)),
        (6, payload) => fixed(payload, &mut held.buckets, |count| count),
        (7, payload) => fixed(payload, &mut held.bounds, f64::from_bits),
        (11, Payload::Fixed64(bits)) => held.min = Some(f64::from_bits(bits)),
        (12, Payload::Fixed64(bits)) => held.max = Some(f64::from_bits(bits)),
        _ => (),
    });
    held.bounds.shrink_to_fit();
    held.buckets.shrink_to_fit();
    point.data = Data::Histogram(held);
    incoming
}

fn exponential<'a>(message: &'a [u8], point: &mut Point) -> Incoming<'a> {
    let mut held = match mem::replace(&mut point.data, Data::Int(0)) {
        Data::ExponentialHistogram(held) => held,
        _ => Box::default(),
    };
    let ExponentialHistogram { positive, negative, .. } = mem::take(&mut *held);
    held.positive.counts = cleared(positive.counts);
    held.negative.counts = cleared(negative.counts);
    let incoming = Incoming::common(message, point, 10, 1, |number, payload| match (number, payload) {
        (4, Payload::Fixed64(count)) => held.count = count,
        (5, Payload::Fixed64(bits)) => held.sum = Some(f64::from_bits(bits)),
        (6, Payload::Varint(number)) => held.scale = zigzag(number),
        (7, Payload::Fixed64(count)) => held.zero_count = count,
        (8, Payload::Bytes(message)) => buckets(message, &mut held.positive),
        (9, Payload::Bytes(message)) => buckets(message, &mut held.negative),
        (12, Payload::Fixed64(bits)) => held.min = Some(f64::from_bits(bits)),
        (13, Payload::Fixed64(bits)) => held.max = Some(f64::from_bits(bits)),
        (14, Payload::Fixed64(bits)) => held.zero_threshold = f64::from_bits(bits),
        _ => (),
    });
    held.positive.counts.shrink_to_fit();
    held.negative.counts.shrink_to_fit();
    point.data = Data::ExponentialHistogram(held);
    incoming
}

fn summary<'a>(message: &'a [u8], point: &mut Point) -> Incoming<'a> {
    let mut held = Summary::default();
    let incoming = Incoming::common(message, point, 8, 7, |number, payload| match (number, payload) {
        (4, Payload::Fixed64(count)) => held.count = count,
        (5, Payload::Fixed64(bits)) => held.sum = f64::from_bits(bits),
        (6, Payload::Bytes(message)) => held.quantiles.push(quantile(message)),
        _ => (),
    });
    held.quantiles.shrink_to_fit();
    point.data = Data::Summary(Box::new(held));
    incoming
}

/// A quantile and its value.
fn quantile(message: &[u8]) -> (f64, f64) {
    let mut pair = (0.0, 0.0);
    for field in Fields::of(message) {
        match (field.number, field.payload) {
            (1, Payload::Fixed64(bits)) => pair.0 = f64::from_bits(bits),
            (2, Payload::Fixed64(bits)) => pair.1 = f64::from_bits(bits),
            _ => (),
        }
    }
    pair
}

fn buckets(message: &[u8], held: &mut Buckets) {
    for field in Fields::of(message) {
        match (field.number, field.payload) {
            (1, Payload::Varint(number)) => held.offset = zigzag(number),
            (2, Payload::Varint(count)) => held.counts.push(count),
            (2, Payload::Bytes(counts)) => {
                // Room for all of them, as the last byte of each has its highest bit clear.
                held.counts.reserve_exact(counts.iter().filter(|byte| **byte < 0x80).count());
                let mut counts = Fields::of(counts);
                held.counts.extend(std::iter::from_fn(|| counts.varint().ok()));
            }
            _ => (),
        }
    }
}

/// Appends numbers of eight bytes each.
fn fixed<T>(payload: Payload<'_>, held: &mut Vec<T>, number: impl Fn(u64) -> T) {
    match payload {
        Payload::Fixed64(bits) => held.push(number(bits)),
        Payload::Bytes(bytes) => {
            let (chunks, _) = bytes.as_chunks();
            held.reserve_exact(chunks.len());
            held.extend(chunks.iter().map(|chunk| number(u64::from_le_bytes(*chunk))));
        }
        _ => (),
    }
}

fn cleared<T>(mut held: Vec<T>) -> Vec<T> {
    held.clear();
    held
}

#[expect(clippy::cast_possible_truncation, reason = "these numbers have 32 bits")]
fn zigzag(number: u64) -> i32 {
    let number = number as u32;
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}
