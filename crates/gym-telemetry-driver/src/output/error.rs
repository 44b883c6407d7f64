use std::{io, path::PathBuf};

/// Why a row is not in the output.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The file could not be opened for appending, or its last line could not be repaired.
    #[error("cannot open the output {}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The row could not be written; the rows before it are whole.
    #[error("cannot write to the output {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The row holds a line break, so it would be two.
    #[error("a row of the output {} must be one line", path.display())]
    NotOneLine {
        /// The file.
        path: PathBuf,
    },
    /// The writer's thread is gone.
    #[error("the writer of {} has ended", path.display())]
    Ended {
        /// The file.
        path: PathBuf,
    },
}
