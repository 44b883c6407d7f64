//! Distributions, gathered in buckets by those who record and handed over by those who export.
//!
//! The SDK's own histogram takes a lock for each sample, which costs hundreds of nanoseconds as soon as two threads
//! record. Here a sample is two integer additions in the recording thread's own shard. A collection replays what has
//! come since the last one into the SDK's histogram: as many samples, in the same buckets, with the same sum, the same
//! smallest and the same largest.

mod attributed;
mod buckets;
mod handover;
mod measure;
#[cfg(test)]
mod tests;

pub(crate) use attributed::Attributed;
pub(crate) use buckets::Buckets;
pub(crate) use handover::Handover;
pub(crate) use measure::{Amount, Measure, Millis, Seconds};
