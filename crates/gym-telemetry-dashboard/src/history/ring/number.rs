//! Single numbers.
//!
//! A number is a *token*, a varint, and sometimes bytes behind it. An even token holds the difference to the whole
//! number before it, its sign in the lowest bit. Odd ones are told apart by the next two bits: a number in four bytes,
//! one in eight, or slots without a point, as many as the other bits say.

use super::sample::{Sample, read_varint, write_varint};

const SHORT: u64 = 0b001;
const LONG: u64 = 0b011;
const SKIP: u64 = 0b101;

/// Whole numbers up to here are exact as `f64`.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// A number that is not whole may be off by this part of itself.
const TOLERANCE: f64 = 1e-7;

/// A value: of several in one slot the last one counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Level(pub(crate) f64);

/// What was counted since the point before: of several in one slot the sum counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Growth(pub(crate) f64);

impl Sample for Level {
    type Memory = i64;

    fn fold(&mut self, later: Self) {
        *self = later;
    }

    fn write(&self, skipped: u64, memory: &mut i64, bytes: &mut Vec<u8>) {
        write(self.0, skipped, memory, bytes);
    }

    fn read(memory: &mut i64, bytes: &mut &[u8]) -> Option<(u64, Self)> {
        read(memory, bytes).map(|(skipped, number)| (skipped, Self(number)))
    }
}

impl Sample for Growth {
    type Memory = i64;

    fn fold(&mut self, later: Self) {
        self.0 += later.0;
    }

    fn write(&self, skipped: u64, memory: &mut i64, bytes: &mut Vec<u8>) {
        write(self.0, skipped, memory, bytes);
    }

    fn read(memory: &mut i64, bytes: &mut &[u8]) -> Option<(u64, Self)> {
        read(memory, bytes).map(|(skipped, number)| (skipped, Self(number)))
    }
}

fn write(number: f64, skipped: u64, before: &mut i64, bytes: &mut Vec<u8>) {
    if skipped > 0 {
        write_varint(skipped << 3 | SKIP, bytes);
    }
    if let Some(whole) = whole(number) {
        let step = whole - *before;
        *before = whole;
        write_varint((step << 1 ^ step >> 63).cast_unsigned() << 1, bytes);
        return;
    }
    #[expect(clippy::cast_possible_truncation, reason = "what is lost is looked at")]
    let short = number as f32;
    if (f64::from(short) - number).abs() <= number.abs() * TOLERANCE {
        write_varint(SHORT, bytes);
        bytes.extend_from_slice(&short.to_le_bytes());
    } else {
        write_varint(LONG, bytes);
        bytes.extend_from_slice(&number.to_le_bytes());
    }
}

fn read(before: &mut i64, bytes: &mut &[u8]) -> Option<(u64, f64)> {
    let mut token = read_varint(bytes)?;
    let mut skipped = 0;
    if token & 0b111 == SKIP {
        skipped = token >> 3;
        token = read_varint(bytes)?;
    }
    let number = match token {
        SHORT => f32::from_le_bytes(take(bytes)?).into(),
        LONG => f64::from_le_bytes(take(bytes)?),
        _ => {
            let step = (token >> 2).cast_signed() ^ -(token >> 1 & 1).cast_signed();
            *before = before.wrapping_add(step);
            #[expect(clippy::cast_precision_loss, reason = "it was an `f64` when it was written")]
            let number = *before as f64;
            number
        }
    };
    Some((skipped, number))
}

/// The number, when it is whole and exact.
fn whole(number: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "it fits")]
    (number.trunc() == number && number.abs() <= WHOLE).then_some(number as i64)
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*taken)
}
