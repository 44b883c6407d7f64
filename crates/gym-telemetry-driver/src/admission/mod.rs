//! A driver's concurrency limit, and what it costs to wait for it.

mod error;
mod limit;
#[cfg(test)]
mod tests;

pub use error::AdmissionError;
pub use limit::{Admission, Permit};
