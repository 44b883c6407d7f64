use crate::workspace::Workspace;
use crate::{TaskResult, docs};

/// Writes the generated document, or checks that it is up to date.
pub(crate) fn run(workspace: &Workspace, check: bool) -> TaskResult {
    Ok(if check { docs::check(workspace) } else { docs::write(workspace) }?)
}
