//! Turning a body into a request: pure functions that any bytes may be given to.
//!
//! Memory stays in proportion to the limit. Decompression stops at it, and a body that is mostly empty messages, which
//! would take up far more room decoded than as bytes, is refused before it is decoded.

mod body;

pub use body::{DecodeError, Format, decode, inflate};
