//! What every member's manifest takes from the workspace.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use toml::{Table, Value};

use super::finding::Finding;
use crate::workspace::Workspace;

/// Fields of `[package]` that stand once, in the workspace.
const SHARED_FIELDS: [&str; 5] = ["edition", "license", "repository", "rust-version", "version"];

/// Tables of dependencies.
const DEPENDENCIES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

/// Checks the members' manifests and the root's list of dependencies.
pub(crate) fn check(workspace: &Workspace) -> Result<Vec<Finding>, ManifestError> {
    let mut findings = Vec::new();
    let mut used = BTreeSet::new();
    for member in &workspace.members {
        let manifest = read(&member.manifest_path)?;
        let path = workspace.relative(&member.manifest_path);
        findings.extend(broken(&manifest).into_iter().map(|message| Finding::in_file(path, message)));
        if !folder_fits(workspace.relative(member.folder()), &member.name) {
            findings.push(Finding::in_file(path, format!("the folder of `{}` has another name", member.name)));
        }
        used.extend(dependencies(&manifest).map(|(name, _)| name.to_owned()));
    }

    let root = read(&workspace.root.join("Cargo.toml"))?;
    let declared = root["workspace"].get("dependencies").and_then(Value::as_table).into_iter().flat_map(Table::keys);
    let unused = declared.filter(|name| !used.contains(*name));
    findings.extend(unused.map(|name| Finding::in_file("Cargo.toml", format!("no member uses `{name}`"))));
    Ok(findings)
}

/// What a member's manifest does not take from the workspace.
fn broken(manifest: &Table) -> Vec<String> {
    let package = manifest.get("package").and_then(Value::as_table);
    let field = |name: &&str| package.and_then(|package| package.get(*name));
    let fields = SHARED_FIELDS.iter().filter(|name| !is_inherited(field(name)));
    let fields = fields.map(|name| format!("`package.{name}` is not the workspace's"));

    let lints = (!is_inherited(manifest.get("lints"))).then(|| "the workspace's lints are not inherited".to_owned());

    let own = dependencies(manifest).filter(|(_, value)| !is_inherited(Some(value)));
    let own = own.map(|(name, _)| format!("`{name}` is not one of the workspace's dependencies"));

    fields.chain(lints).chain(own).collect()
}

/// Every dependency of a manifest, those of targets too.
fn dependencies(manifest: &Table) -> impl Iterator<Item = (&str, &Value)> {
    let targets = manifest.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
    let places = std::iter::once(manifest).chain(targets.filter_map(Value::as_table));
    let tables = places.flat_map(|place| DEPENDENCIES.iter().filter_map(|name| place.get(*name)?.as_table()));
    tables.flatten().map(|(name, value)| (name.as_str(), value))
}

/// Whether a value is `{ workspace = true, .. }`.
fn is_inherited(value: Option<&Value>) -> bool {
    value.and_then(|value| value.get("workspace")).and_then(Value::as_bool) == Some(true)
}

/// Whether a folder is named after its crate. Crates at the root are not published and named freely.
fn folder_fits(folder: &Path, name: &str) -> bool {
    folder.iter().count() == 1 || folder.file_name().is_some_and(|own| own == name)
}

/// A manifest as a table.
fn read(path: &Path) -> Result<Table, ManifestError> {
    let text = fs::read_to_string(path).map_err(|source| ManifestError::Read { path: path.to_owned(), source })?;
    text.parse().map_err(|source| ManifestError::Parse { path: path.to_owned(), source: Box::new(source) })
}

/// A manifest that could not be checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum ManifestError {
    /// It could not be read.
    #[error("{} cannot be read", path.display())]
    Read {
        /// The manifest.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is not TOML.
    #[error("{} is not a manifest", path.display())]
    Parse {
        /// The manifest.
        path: PathBuf,
        /// Why.
        source: Box<toml::de::Error>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "
        package = { name = 'a', edition.workspace = true, license.workspace = true, repository.workspace = true,
            rust-version.workspace = true, version.workspace = true }
        lints.workspace = true
        dependencies = { http.workspace = true, tokio = { workspace = true, features = ['sync'] } }
        [target.'cfg(loom)'.dev-dependencies]
        loom.workspace = true
    ";

    fn broken_by(manifest: &str) -> Vec<String> {
        broken(&manifest.parse().unwrap())
    }

    #[test]
    fn all_inherited() {
        assert_eq!(broken_by(GOOD), Vec::<String>::new());
        let manifest = GOOD.parse().unwrap();
        let names: Vec<_> = dependencies(&manifest).map(|(name, _)| name).collect();
        assert_eq!(names, ["http", "tokio", "loom"]);
    }

    #[test]
    fn own_lints_fields_and_versions_are_found() {
        assert_eq!(broken_by(&GOOD.replace("lints.workspace = true", "")).len(), 1);
        assert_eq!(broken_by(&GOOD.replace("version.workspace = true }", "version = '1' }")).len(), 1);
        assert_eq!(
            broken_by(&GOOD.replace("http.workspace = true", "http = '1'")),
            ["`http` is not one of the workspace's dependencies"]
        );
        assert_eq!(broken_by(&GOOD.replace("loom.workspace = true", "loom = '1'")).len(), 1);
    }

    #[test]
    fn folders_are_named_after_crates() {
        assert!(folder_fits(Path::new("crates/a"), "a"));
        assert!(folder_fits(Path::new("tests"), "a-tests"));
        assert!(!folder_fits(Path::new("crates/b"), "a"));
    }
}
