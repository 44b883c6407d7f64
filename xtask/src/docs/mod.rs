//! `docs/metrics.md`, generated from the conventions crate.

mod file;
mod metrics;

pub(crate) use file::{check, write};
