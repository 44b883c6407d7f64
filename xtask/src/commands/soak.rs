use crate::TaskResult;
use crate::workspace::Workspace;

/// Runs the soak of the request layer in its long form.
pub(crate) fn run(workspace: &Workspace, requests: u64, seed: Option<u64>) -> TaskResult {
    let words = "test --release -p gym-telemetry-tower --all-features --test it soak:: -- --nocapture";
    let soak = workspace.cargo(words).env("SOAK_REQUESTS", requests.to_string());
    Ok(seed.into_iter().fold(soak, |soak, seed| soak.env("SOAK_SEED", seed.to_string())).run()?)
}
