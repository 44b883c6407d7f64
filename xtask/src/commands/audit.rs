use crate::TaskResult;
use crate::workspace::Workspace;

/// Asks the advisory database about the dependencies.
pub(crate) fn run(workspace: &Workspace) -> TaskResult {
    Ok(workspace.cargo("deny check advisories").run()?)
}
