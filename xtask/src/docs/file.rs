use std::path::{Path, PathBuf};
use std::{fs, io};

use super::metrics;
use crate::workspace::Workspace;

/// The generated document, from the root of the workspace.
const DOCUMENT: &str = "docs/metrics.md";

/// Writes the document.
pub(crate) fn write(workspace: &Workspace) -> Result<(), DocsError> {
    let path = workspace.root.join(DOCUMENT);
    fs::write(&path, metrics::document()).map_err(|source| DocsError::new(&path, source))
}

/// Checks that the document is what would be written.
pub(crate) fn check(workspace: &Workspace) -> Result<(), DocsError> {
    let path = workspace.root.join(DOCUMENT);
    let text = fs::read_to_string(&path).map_err(|source| DocsError::new(&path, source))?;
    if text == metrics::document() { Ok(()) } else { Err(DocsError::Stale) }
}

/// Why the document is not up to date.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum DocsError {
    /// It could not be read or written.
    #[error("{} cannot be read or written", path.display())]
    File {
        /// The document.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The conventions have moved on.
    #[error("{DOCUMENT} is out of date: run `cargo xtask docs`")]
    Stale,
}

impl DocsError {
    /// A file that could not be read or written.
    fn new(path: &Path, source: io::Error) -> Self {
        Self::File { path: path.to_owned(), source }
    }
}
