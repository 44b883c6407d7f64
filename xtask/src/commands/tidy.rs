use crate::workspace::Workspace;
use crate::{TaskResult, tidy};

/// The rules that a program can check, and how much of the code is documentation.
pub(crate) fn run(workspace: &Workspace) -> TaskResult {
    tidy::report_shares(workspace)?;
    Ok(tidy::check(workspace)?)
}
