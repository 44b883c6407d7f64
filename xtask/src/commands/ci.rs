use super::{lint, test};
use crate::TaskResult;
use crate::report::Report;
use crate::workspace::Workspace;

/// Everything that CI checks.
pub(crate) fn run(workspace: &Workspace) -> TaskResult {
    let mut report = Report::default();
    lint::steps(workspace, &mut report);
    test::steps(workspace, &mut report);
    Ok(report.finish()?)
}
