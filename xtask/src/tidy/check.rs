use super::sources::{self, SourcesError};
use super::{layering, manifests, shape, words};
use crate::report::say;
use crate::workspace::Workspace;

/// Checks every rule, and prints what breaks one.
pub(crate) fn check(workspace: &Workspace) -> Result<(), TidyError> {
    let mut findings = layering::check(workspace);
    findings.extend(manifests::check(workspace)?);
    for source in sources::load(workspace)? {
        findings.extend(shape::check(&source));
        findings.extend(words::check(&source));
    }
    for finding in &findings {
        say(&finding.to_string());
    }
    if findings.is_empty() { Ok(()) } else { Err(TidyError::Broken(findings.len())) }
}

/// Why the workspace is not tidy, or not known to be.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum TidyError {
    /// So many rules are broken.
    #[error("{0} rules broken")]
    Broken(usize),
    /// A source file could not be read.
    #[error(transparent)]
    Sources(#[from] SourcesError),
    /// A manifest could not be read.
    #[error(transparent)]
    Manifest(#[from] manifests::ManifestError),
}
