use crate::TaskResult;
use crate::process::CommandError;
use crate::workspace::Workspace;

/// Runs the models of concurrent code.
pub(crate) fn run(workspace: &Workspace) -> TaskResult {
    Ok(check(workspace)?)
}

/// Under loom, which takes the place of threads and atomics, and so needs a build of its own.
pub(crate) fn check(workspace: &Workspace) -> Result<(), CommandError> {
    let words = "test --release --target-dir target/loom -p gym-telemetry-core --lib shard::model";
    workspace.cargo(words).env("RUSTFLAGS", "--cfg loom").run()
}
