//! How much of the code is documentation. It is told, not judged.

use super::sources::{self, LineKind, Source, SourcesError, kind_of};
use crate::report::say;
use crate::workspace::Workspace;

/// Lines of program code by kind, tests apart.
#[derive(Debug, Default, PartialEq, Eq)]
struct Lines {
    /// Documentation.
    docs: usize,
    /// Plain comments.
    comments: usize,
    /// All else that is not blank.
    code: usize,
}

/// Prints each crate's lines, and the share of documentation and of comments among them.
pub(crate) fn report_shares(workspace: &Workspace) -> Result<(), SourcesError> {
    let sources = sources::load(workspace)?;
    say(&format!("{:28} {:>6} {:>7} {:>9}", "crate", "lines", "docs", "comments"));
    for member in &workspace.members {
        let folder = workspace.relative(member.folder());
        let own =
            sources.iter().filter(|source| source.is_rust() && !source.is_test() && source.path.starts_with(folder));
        let lines = own.fold(Lines::default(), Lines::add);
        let (docs, comments) = (lines.share(lines.docs), lines.share(lines.comments));
        say(&format!("{:28} {:6} {docs:5.1} % {comments:7.1} %", member.name, lines.total()));
    }
    Ok(())
}

impl Lines {
    /// Adds those of a file.
    fn add(mut self, source: &Source) -> Self {
        for (_, line) in source.lines_without_tests() {
            match kind_of(line) {
                LineKind::Blank => {}
                LineKind::Doc => self.docs += 1,
                LineKind::Comment => self.comments += 1,
                LineKind::Code => self.code += 1,
            }
        }
        self
    }

    /// All lines that are not blank.
    fn total(&self) -> usize {
        self.docs + self.comments + self.code
    }

    /// So many lines in percent of all.
    fn share(&self, lines: usize) -> f64 {
        100.0 * lines as f64 / self.total().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        let source = Source::new("a.rs", "//! Docs.\n\n/// Docs.\nfn f() {}\n// Why.\n#[cfg(test)]\nmod tests {\n}\n");
        let lines = Lines::default().add(&source);
        assert_eq!(lines, Lines { docs: 2, comments: 1, code: 1 });
        assert_eq!(lines.share(lines.docs), 50.0);
    }
}
