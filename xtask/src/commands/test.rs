use super::model;
use crate::TaskResult;
use crate::report::Report;
use crate::workspace::Workspace;

/// Runs all tests.
pub(crate) fn run(workspace: &Workspace) -> TaskResult {
    let mut report = Report::default();
    steps(workspace, &mut report);
    Ok(report.finish()?)
}

/// The fleet, then the tests; some of them drive it.
pub(crate) fn steps(workspace: &Workspace, report: &mut Report) {
    let fleet = workspace.target.join("release").join(format!("fleet{}", std::env::consts::EXE_SUFFIX));
    report.step("build fleet", || workspace.cargo("build --release -p fleet").run());
    // Cargo's own runner takes the doctests along.
    let runs: &[_] = if workspace.has_subcommand("nextest") {
        &[("test", "nextest run --no-fail-fast"), ("doctest", "test --no-fail-fast --doc")]
    } else {
        &[("test", "test --no-fail-fast")]
    };
    for (name, words) in runs {
        let words = format!("{words} --workspace --all-features");
        report.step(*name, || workspace.cargo(&words).env("FLEET_BIN", &fleet).run());
    }
    report.step("model", || model::check(workspace));
}
