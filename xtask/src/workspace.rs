//! The workspace as `cargo metadata` tells it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::process::{Cargo, CommandError};

/// The workspace: where it lies, and its members.
#[derive(Debug, Deserialize)]
pub(crate) struct Workspace {
    /// The folder that holds everything.
    #[serde(rename = "workspace_root")]
    pub(crate) root: PathBuf,
    /// The folder that cargo builds in.
    #[serde(rename = "target_directory")]
    pub(crate) target: PathBuf,
    /// The crates, sorted by name.
    #[serde(rename = "packages")]
    pub(crate) members: Vec<Member>,
}

/// One crate of ours.
#[derive(Debug, Deserialize)]
pub(crate) struct Member {
    /// Its name.
    pub(crate) name: String,
    /// Its `Cargo.toml`.
    pub(crate) manifest_path: PathBuf,
    /// Its features, each with what it turns on.
    pub(crate) features: BTreeMap<String, Vec<String>>,
    /// What it leans on, for whatever purpose.
    pub(crate) dependencies: Vec<Dependency>,
}

/// A crate that a member depends on.
#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    /// The name of the crate.
    pub(crate) name: String,
}

impl Workspace {
    /// Asks cargo.
    pub(crate) fn load() -> Result<Self, WorkspaceError> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let json = Cargo::new(here, "metadata --format-version 1 --no-deps").read()?;
        let mut workspace: Self = serde_json::from_slice(&json)?;
        workspace.members.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(workspace)
    }

    /// `cargo <words>` in this workspace.
    pub(crate) fn cargo(&self, words: &str) -> Cargo {
        Cargo::new(&self.root, words)
    }

    /// Whether `cargo <name>` is installed.
    pub(crate) fn has_subcommand(&self, name: &str) -> bool {
        self.cargo(name).arg("--version").succeeds()
    }

    /// A path as seen from the root.
    pub(crate) fn relative<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.root).unwrap_or(path)
    }
}

impl Member {
    /// The folder of the crate.
    pub(crate) fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(&self.manifest_path)
    }
}

/// Why the workspace could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum WorkspaceError {
    /// Cargo did not answer.
    #[error("cargo does not describe the workspace")]
    Cargo(#[from] CommandError),
    /// Cargo's answer is not what this program reads.
    #[error("cargo describes the workspace in a way that is not understood")]
    Format(#[from] serde_json::Error),
}
