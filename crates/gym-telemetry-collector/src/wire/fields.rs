//! The fields of one message.

use std::ops::Range;

/// The bytes are no protobuf message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Broken;

/// What a field holds, by how it is encoded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Payload<'a> {
    Varint(u64),
    Fixed64(u64),
    Fixed32,
    Bytes(&'a [u8]),
}

impl<'a> Payload<'a> {
    /// The message that the field is, if it is one.
    pub(crate) fn message(self) -> Option<&'a [u8]> {
        match self {
            Self::Bytes(message) => Some(message),
            _ => None,
        }
    }
}

/// One field of a message.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field<'a> {
    pub(crate) number: u64,
    pub(crate) payload: Payload<'a>,
    /// Where in the message it lies, its number included.
    pub(crate) place: Range<usize>,
}

/// Reads one field after the other. As an iterator it ends where the message does, or where it is broken.
#[derive(Debug, Clone)]
pub(crate) struct Fields<'a> {
    message: &'a [u8],
    at: usize,
}

impl<'a> Fields<'a> {
    pub(crate) fn of(message: &'a [u8]) -> Self {
        Self { message, at: 0 }
    }

    /// The next field; nothing at the end.
    #[inline]
    pub(crate) fn read(&mut self) -> Result<Option<Field<'a>>, Broken> {
        let start = self.at;
        if self.is_empty() {
            return Ok(None);
        }
        let key = self.varint()?;
        let number = key >> 3;
        if number == 0 || key > u32::MAX.into() {
            return Err(Broken);
        }
        // Groups, which OTLP has none of, are among the others.
        let payload = match key & 7 {
            0 => Payload::Varint(self.varint()?),
            1 => Payload::Fixed64(u64::from_le_bytes(self.take()?)),
            2 => {
                let length = usize::try_from(self.varint()?).map_err(|_| Broken)?;
                let end = self.at.checked_add(length).ok_or(Broken)?;
                let bytes = self.message.get(self.at..end).ok_or(Broken)?;
                self.at = end;
                Payload::Bytes(bytes)
            }
            5 => {
                let _: [u8; 4] = self.take()?;
                Payload::Fixed32
            }
            _ => return Err(Broken),
        };
        Ok(Some(Field { number, payload, place: start..self.at }))
    }

    /// Whether all has been read.
    pub(crate) fn is_empty(&self) -> bool {
        self.at == self.message.len()
    }

    /// The next number in seven bits a byte; most have one.
    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u64, Broken> {
        match self.message.get(self.at) {
            Some(byte) if *byte < 0x80 => {
                self.at += 1;
                Ok(u64::from(*byte))
            }
            _ => self.long_varint(),
        }
    }

    fn long_varint(&mut self) -> Result<u64, Broken> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = *self.message.get(self.at).ok_or(Broken)?;
            self.at += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                // The tenth byte has one bit left to say.
                return if shift == 63 && byte > 1 { Err(Broken) } else { Ok(number) };
            }
        }
        Err(Broken)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], Broken> {
        let taken = self.message.get(self.at..).and_then(|rest| rest.first_chunk()).ok_or(Broken)?;
        self.at += N;
        Ok(*taken)
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Field<'a>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.read().ok().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(message: &[u8]) -> Result<Vec<Field<'_>>, Broken> {
        let mut fields = Fields::of(message);
        std::iter::from_fn(|| fields.read().transpose()).collect()
    }

    #[test]
    fn every_encoding_is_read() {
        let message = [8, 0xac, 2, 0x11, 1, 0, 0, 0, 0, 0, 0, 0, 0x1a, 2, 7, 8, 0x25, 0, 0, 0, 0];
        let payloads = [
            (Payload::Varint(300), 0..3),
            (Payload::Fixed64(1), 3..12),
            (Payload::Bytes(&[7, 8]), 12..16),
            (Payload::Fixed32, 16..21),
        ];
        let expected = (1..).zip(payloads).map(|(number, (payload, place))| Field { number, payload, place });
        assert_eq!(read(&message), Ok(expected.collect()));
    }

    #[test]
    fn what_is_cut_short_is_broken() {
        for message in [&[8][..], &[8, 0x80], &[0x11, 1], &[0x1a, 2, 7], &[0x25, 0, 0, 0]] {
            assert_eq!(read(message), Err(Broken), "{message:?}");
        }
    }

    #[test]
    fn what_no_encoder_writes_is_broken() {
        let group = [0x0b, 0x0c];
        let without_number = [0, 1];
        let huge_number = [0x88, 0x80, 0x80, 0x80, 0x10, 1];
        let endless = [&[8][..], &[0xff; 10]].concat();
        let too_large = [&[8][..], &[0xff; 9], &[2]].concat();
        for message in [&group[..], &without_number, &huge_number, &endless, &too_large] {
            assert_eq!(read(message), Err(Broken), "{message:?}");
        }
        assert!(read(&[&[8][..], &[0xff; 9], &[1]].concat()).is_ok(), "all 64 bits");
    }
}
