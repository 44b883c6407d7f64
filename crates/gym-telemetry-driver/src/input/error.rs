use std::{io, path::PathBuf};

/// Why the input of a run cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// The file could not be read.
    #[error("cannot read the input {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A line is not a JSON object.
    #[error("{}:{line}: {reason}", path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// There is no room for so many rows.
    #[error("the input {} and its repeats are {rows} rows, more than memory holds", path.display())]
    TooMany {
        /// The file.
        path: PathBuf,
        /// How many rows were asked for.
        rows: u128,
    },
    /// The materialized rows could not be written.
    #[error("cannot write the materialized input {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}
