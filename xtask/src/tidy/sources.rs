//! The Rust files and documents of the workspace, line by line.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::workspace::Workspace;

/// A file, and what each of its lines is.
#[derive(Debug)]
pub(crate) struct Source {
    /// Its path from the root of the workspace.
    pub(crate) path: PathBuf,
    /// All that it holds.
    text: String,
}

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineKind {
    /// Nothing.
    Blank,
    /// Documentation: `///` or `//!`.
    Doc,
    /// A plain comment: `//`.
    Comment,
    /// Anything else.
    Code,
}

impl Source {
    /// A file with this text.
    pub(crate) fn new(path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into() }
    }

    /// The lines, counted from 1.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }

    /// The lines before the tests of the file, if it has any: all that a program is made of.
    pub(crate) fn lines_without_tests(&self) -> impl Iterator<Item = (usize, &str)> {
        let end = self.inline_tests().unwrap_or(usize::MAX);
        self.lines().take_while(move |(number, _)| *number < end)
    }

    /// The line on which the tests within the file begin.
    pub(crate) fn inline_tests(&self) -> Option<usize> {
        let mut lines = self.lines().peekable();
        while let Some((number, line)) = lines.next() {
            let opens = |(_, next): &(usize, &str)| next.starts_with("mod ") && next.ends_with('{');
            if line == "#[cfg(test)]" && lines.peek().is_some_and(opens) {
                return Some(number);
            }
        }
        None
    }

    /// Whether all of the file is test code.
    pub(crate) fn is_test(&self) -> bool {
        self.is_named("tests.rs") || self.path.iter().any(|folder| folder == "tests")
    }

    /// Whether this is the file's name.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        self.path.file_name().is_some_and(|own| own == name)
    }

    /// Whether the file is Rust; else it is prose.
    pub(crate) fn is_rust(&self) -> bool {
        self.path.extension().is_some_and(|extension| extension == "rs")
    }
}

/// What a line of Rust is.
pub(crate) fn kind_of(line: &str) -> LineKind {
    let line = line.trim_start();
    if line.is_empty() {
        LineKind::Blank
    } else if line.starts_with("//!") || (line.starts_with("///") && !line.starts_with("////")) {
        LineKind::Doc
    } else if line.starts_with("//") {
        LineKind::Comment
    } else {
        LineKind::Code
    }
}

/// Every Rust file and every document, sorted by path.
pub(crate) fn load(workspace: &Workspace) -> Result<Vec<Source>, SourcesError> {
    let mut sources = Vec::new();
    let mut folders = vec![workspace.root.clone()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|source| SourcesError::new(&folder, source))?;
        for entry in entries {
            let path = entry.map_err(|source| SourcesError::new(&folder, source))?.path();
            let name = path.file_name().unwrap_or_default();
            let hidden = name.as_encoded_bytes().starts_with(b".");
            if hidden || name == "node_modules" || path == workspace.target {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "md") {
                let text = fs::read_to_string(&path).map_err(|source| SourcesError::new(&path, source))?;
                sources.push(Source::new(workspace.relative(&path), text));
            }
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(sources)
}

/// A file or folder that could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be read", path.display())]
pub(crate) struct SourcesError {
    path: PathBuf,
    source: io::Error,
}

impl SourcesError {
    /// What could not be read, and why.
    pub(crate) fn new(path: &Path, source: io::Error) -> Self {
        Self { path: path.to_owned(), source }
    }
}
