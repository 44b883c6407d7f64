use super::{lint, test};
use crate::TaskResult;
use crate::report::Report;
use crate::workspace::Workspace;

/// Runs everything that CI checks: the steps of `lint`, then those of `test`.
pub(crate) fn run(workspace: &Workspace) -> TaskResult {
    let mut report = Report::default();
    lint::steps(workspace, &mut report);
    test::steps(workspace, &mut report);
    Ok(report.finish()?)
}
