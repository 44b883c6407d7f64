use std::fmt;
use std::path::PathBuf;

/// A broken rule, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    path: PathBuf,
    line: Option<usize>,
    message: String,
}

impl Finding {
    /// A rule that a whole file breaks.
    pub(crate) fn in_file(path: impl Into<PathBuf>, message: impl Into<String>) -> Self {
        Self { path: path.into(), line: None, message: message.into() }
    }

    /// A rule that one line breaks; lines count from 1.
    pub(crate) fn at_line(path: impl Into<PathBuf>, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.into(), line: Some(line), message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.message)
    }
}
