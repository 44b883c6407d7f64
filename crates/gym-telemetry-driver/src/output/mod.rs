//! Rows that are appended to a file, each wholly or not at all.

mod error;
mod file;
#[cfg(test)]
mod tests;
mod writer;

pub use error::OutputError;
pub use writer::OutputWriter;
