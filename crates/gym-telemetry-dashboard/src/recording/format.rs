//! The file, byte by byte.

use std::io::{self, Read};

use crc32fast::Hasher;

/// What a recording begins with; the last byte is its version.
pub(super) const MAGIC: [u8; 8] = *b"gymotlp\x01";

/// The length and the checksum of a frame, before what they are about.
const HEAD: usize = 8;

/// The arrival, which the checksum covers as well.
const ARRIVAL: usize = 8;

/// No request is longer; a length that says so is not one.
pub(super) const MOST_BYTES: usize = 1 << 30;

/// No request arrives as late as this, in milliseconds since 1970.
const END: u64 = 1 << 48;

/// One request in a recording.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// In milliseconds since 1970.
    pub(super) arrival: u64,
    pub(super) body: Vec<u8>,
}

impl Frame {
    /// Makes a frame of what `write` puts behind its head.
    pub(super) fn bytes(arrival: u64, write: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let mut bytes = vec![0; HEAD];
        bytes.extend_from_slice(&arrival.to_le_bytes());
        write(&mut bytes);
        let covered = bytes.get(HEAD..).unwrap_or_default();
        let length = u32::try_from(covered.len() - ARRIVAL).unwrap_or(u32::MAX).to_le_bytes();
        let checksum = crc32fast::hash(covered).to_le_bytes();
        for (place, byte) in bytes.iter_mut().zip(length.into_iter().chain(checksum)) {
            *place = byte;
        }
        bytes
    }

    /// The next frame; nothing at the end, or where what follows is no whole frame.
    pub(super) fn read(file: &mut impl Read) -> io::Result<Option<Self>> {
        let (Some(length), Some(checksum), Some(arrival)) = (take(file)?, take(file)?, take(file)?) else {
            return Ok(None);
        };
        let length = u32::from_le_bytes(length);
        if length as usize > MOST_BYTES {
            return Ok(None);
        }
        // Room is made as bytes come, so a wrong length costs none.
        let mut body = Vec::new();
        file.take(length.into()).read_to_end(&mut body)?;
        let mut hasher = Hasher::new();
        hasher.update(&arrival);
        hasher.update(&body);
        let arrival = u64::from_le_bytes(arrival);
        let whole = arrival < END && body.len() == length as usize && hasher.finalize() == u32::from_le_bytes(checksum);
        Ok(whole.then_some(Self { arrival, body }))
    }

    /// How many bytes it takes in the file.
    pub(super) fn length(&self) -> u64 {
        (HEAD + ARRIVAL + self.body.len()) as u64
    }
}

/// The next `N` bytes, if there are as many.
pub(super) fn take<const N: usize>(file: &mut impl Read) -> io::Result<Option<[u8; N]>> {
    let mut bytes = [0; N];
    match file.read_exact(&mut bytes) {
        Ok(()) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}
