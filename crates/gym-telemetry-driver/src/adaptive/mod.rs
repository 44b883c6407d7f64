//! A concurrency limit that finds its own value: a little more while all is well, a good deal less when it is not.
//!
//! The `controller` decides after each `round` of rollouts, from numbers alone; [`AdaptiveLimit`] is what it may do.

mod controller;
mod round;
mod settings;
#[cfg(test)]
mod tests;

pub(crate) use controller::{Controller, Run};
pub use settings::AdaptiveLimit;
