use std::path::Path;

use crate::TaskResult;
use crate::workspace::Workspace;

/// Where the results of the last run are kept.
const PAGE: &str = "docs/performance.md";

/// Runs benchmarks and writes their page.
pub(crate) fn run(workspace: &Workspace, names: &[String], json: Option<&Path>) -> TaskResult {
    let mut cargo = workspace.cargo("run --profile measure -p gym-telemetry-benches -- run --page").arg(PAGE);
    if let Some(path) = json {
        cargo = cargo.arg("--json").arg(&path.to_string_lossy());
    }
    Ok(names.iter().fold(cargo, |cargo, name| cargo.arg(name)).run()?)
}
