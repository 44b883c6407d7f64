//! What a ring is made of.

use std::fmt::Debug;

/// One point of a series, as it is written into blocks.
pub(crate) trait Sample: Sized {
    /// What writing and reading remember from one point of a block to the next.
    type Memory: Debug + Default;

    /// Takes in what follows in the same slot.
    fn fold(&mut self, later: Self);

    /// Writes it behind `skipped` slots without a point.
    fn write(&self, skipped: u64, memory: &mut Self::Memory, bytes: &mut Vec<u8>);

    /// Reads what [`write`](Self::write) wrote; nothing at the end.
    fn read(memory: &mut Self::Memory, bytes: &mut &[u8]) -> Option<(u64, Self)>;
}

/// Appends `number` in seven bits a byte.
pub(crate) fn write_varint(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads what [`write_varint`] wrote.
pub(crate) fn read_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}
