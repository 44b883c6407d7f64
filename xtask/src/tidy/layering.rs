//! Which crate may lean on which.

use super::finding::Finding;
use crate::workspace::{Member, Workspace};

const CONVENTIONS: &str = "gym-telemetry-conventions";
const CORE: &str = "gym-telemetry-core";
const COLLECTOR: &str = "gym-telemetry-collector";
const DASHBOARD: &str = "gym-telemetry-dashboard";
const FACADE: &str = "gym-telemetry";
/// What tests share: it leans on nothing, and every crate's tests may lean on it.
const TESTS: &str = "gym-telemetry-tests";

/// What a crate may depend on among ours.
#[derive(Debug, Clone, Copy)]
enum Allowed {
    /// These.
    Only(&'static [&'static str]),
    /// All except these.
    AllBut(&'static [&'static str]),
}

/// Every crate of ours has its line here; a new one takes its place deliberately.
fn allowed(name: &str) -> Option<Allowed> {
    match name {
        CONVENTIONS | COLLECTOR => Some(Allowed::Only(&[])),
        CORE | "xtask" => Some(Allowed::Only(&[CONVENTIONS])),
        "gym-telemetry-driver"
        | "gym-telemetry-export"
        | "gym-telemetry-hyper"
        | "gym-telemetry-procfs"
        | "gym-telemetry-runtime"
        | "gym-telemetry-tower" => Some(Allowed::Only(&[CONVENTIONS, CORE])),
        DASHBOARD => Some(Allowed::Only(&[CONVENTIONS, COLLECTOR])),
        FACADE => Some(Allowed::AllBut(&[COLLECTOR, DASHBOARD])),
        "fleet" | "gym-telemetry-benches" | TESTS => Some(Allowed::AllBut(&[])),
        _ => None,
    }
}

/// Checks each member's dependencies, those of its tests too: a crate that is usable alone is tested alone.
pub(crate) fn check(workspace: &Workspace) -> Vec<Finding> {
    let ours: Vec<_> = workspace.members.iter().map(|member| member.name.as_str()).collect();
    workspace
        .members
        .iter()
        .flat_map(|member| {
            let manifest = workspace.relative(&member.manifest_path);
            broken(member, &ours).into_iter().map(|message| Finding::in_file(manifest, message)).collect::<Vec<_>>()
        })
        .collect()
}

/// What is wrong with one member's dependencies.
fn broken(member: &Member, ours: &[&str]) -> Vec<String> {
    let Some(allowed) = allowed(&member.name) else {
        return vec![format!("`{}` has no place in the layering (xtask/src/tidy/layering.rs)", member.name)];
    };
    let names = member.dependencies.iter().map(|dependency| dependency.name.as_str());
    let mut broken: Vec<_> = names
        .filter(|name| ours.contains(name) && *name != TESTS && !allowed.allows(name))
        .map(|name| format!("`{}` must not depend on `{name}`", member.name))
        .collect();
    broken.dedup();
    broken
}

impl Allowed {
    /// Whether a crate of ours is among them.
    fn allows(self, name: &str) -> bool {
        match self {
            Self::Only(names) => names.contains(&name),
            Self::AllBut(names) => !names.contains(&name),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::workspace::Dependency;

    const OURS: [&str; 5] = [CONVENTIONS, CORE, COLLECTOR, FACADE, "gym-telemetry-tower"];

    fn broken_by(name: &str, dependencies: &[&str]) -> Vec<String> {
        let dependencies = dependencies.iter().map(|name| Dependency { name: (*name).to_owned() }).collect();
        let member = Member {
            name: name.to_owned(),
            manifest_path: "Cargo.toml".into(),
            features: BTreeMap::new(),
            dependencies,
        };
        broken(&member, &OURS)
    }

    #[test]
    fn a_leaf_sees_nothing_of_ours() {
        assert_eq!(broken_by(CONVENTIONS, &["serde"]), Vec::<String>::new());
        assert_eq!(broken_by(CONVENTIONS, &[CORE]).len(), 1);
        assert_eq!(broken_by(COLLECTOR, &[CONVENTIONS]).len(), 1);
    }

    #[test]
    fn an_integration_sees_no_sibling() {
        assert_eq!(broken_by("gym-telemetry-driver", &[CORE, CONVENTIONS, "tokio"]), Vec::<String>::new());
        assert_eq!(broken_by("gym-telemetry-driver", &["gym-telemetry-tower"]).len(), 1);
    }

    #[test]
    fn the_facade_sees_all_but_the_collector() {
        assert_eq!(broken_by(FACADE, &[CORE, "gym-telemetry-tower"]), Vec::<String>::new());
        assert_eq!(broken_by(FACADE, &[COLLECTOR]).len(), 1);
    }

    #[test]
    fn a_newcomer_needs_a_place() {
        assert_eq!(broken_by("gym-telemetry-new", &[]).len(), 1);
    }
}
