//! Distributions: what a histogram gathered, in buckets that can be kept, added up and asked for quantiles.
//!
//! A bucket is a number, its *key*. Of explicit boundaries it is the place in their list. Exponential buckets lie
//! around the key 0, which holds the values near zero: those of positive values far above it, those of negative ones
//! as far below, so that keys rise as the values do.

mod buckets;
mod gain;
mod gathered;

#[cfg(test)]
mod tests;

pub(super) use gain::{Bounds, Gain, Gathering};
pub(super) use gathered::Gathered;
