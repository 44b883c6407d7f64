//! The input rows of a run: read, repeated, written out.

mod error;
mod materialize;
#[cfg(test)]
mod tests;

pub use error::InputError;
pub use materialize::{Input, Materialized, materialize};
