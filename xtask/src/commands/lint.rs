use crate::report::Report;
use crate::workspace::{Member, Workspace};
use crate::{TaskResult, docs, tidy};

/// Runs all that needs no test run.
pub(crate) fn run(workspace: &Workspace) -> TaskResult {
    let mut report = Report::default();
    steps(workspace, &mut report);
    Ok(report.finish()?)
}

/// The steps, cheap ones first.
pub(crate) fn steps(workspace: &Workspace, report: &mut Report) {
    report.step("fmt", || workspace.cargo("fmt --all --check").run());
    report.step("tidy", || tidy::check(workspace));
    report.step("docs", || docs::check(workspace));
    if workspace.has_subcommand("deny") {
        report.step("deny", || workspace.cargo("deny check bans licenses sources").run());
    } else {
        report.skip("deny", "cargo-deny is not installed");
    }
    for member in &workspace.members {
        clippy(workspace, member, report);
        features(workspace, member, report);
    }
    report.step("rustdoc", || {
        workspace.cargo("doc --workspace --no-deps --all-features").env("RUSTDOCFLAGS", "-Dwarnings").run()
    });
}

/// Each crate alone, so that no feature which another crate turns on hides a fault.
fn clippy(workspace: &Workspace, member: &Member, report: &mut Report) {
    let flags: &[&str] = if member.features.is_empty() { &[""] } else { &["", " --all-features"] };
    for flag in flags {
        let words = format!("clippy --quiet -p {}{flag} --all-targets -- -Dwarnings", member.name);
        report.step(format!("clippy {}{flag}", member.name), || workspace.cargo(&words).run());
    }
}

/// Each feature without the others, and no feature at all.
fn features(workspace: &Workspace, member: &Member, report: &mut Report) {
    if member.features.is_empty() {
        return;
    }
    let check = format!("check --quiet -p {} --no-default-features", member.name);
    report.step(format!("check {} without features", member.name), || workspace.cargo(&check).run());
    for feature in member.features.keys().filter(|feature| *feature != "default") {
        report.step(format!("check {} with {feature}", member.name), || {
            workspace.cargo(&check).arg("--features").arg(feature).run()
        });
    }
}
