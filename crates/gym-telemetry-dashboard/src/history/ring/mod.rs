//! The past of one series, compressed, in two tiers.
//!
//! Time is cut into *slots* as long as the resolution of the history. The newest points lie in blocks of their own slot
//! each; once a block is a few minutes old, its slots are folded, thirty into one. So an hour by the second takes some
//! four hundred points instead of 3 600:
//!
//! ```text
//! │ coarse block │ coarse block │ coarse… │ fine block │ fine block │ fine… │ newest point
//! │   every 30th second, up to the retention   │  every second, the last 4 to 5 minutes
//! ```
//!
//! What folding means is up to the [`Sample`]: growth is added up, so nothing counted is lost; of values the last one
//! stays. Points are written one after another, as small as they go: a number that changed by little takes a byte.

mod block;
mod number;
mod sample;
mod tiers;

#[cfg(test)]
mod tests;

pub(super) use number::{Growth, Level};
pub(super) use sample::{Sample, read_varint, write_varint};
pub(super) use tiers::Ring;
