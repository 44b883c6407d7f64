use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::missing;

/// The folder of what drives the browser.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/browser");

/// What Chromium shows at each address at two widths, light and dark, as JSON; nothing where it, Node.js or
/// playwright-core is missing. Pictures go to the folder in `GYM_TELEMETRY_PICTURES`, if that is set.
///
/// # Panics
///
/// When an address cannot be looked at.
pub fn browser<A: AsRef<str>>(addresses: impl IntoIterator<Item = A>) -> Option<Vec<u8>> {
    for tool in ["node", "chromium"] {
        let there = Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        if !there.is_ok_and(|status| status.success()) {
            missing(tool);
            return None;
        }
    }
    if !Path::new(FOLDER).join("node_modules/playwright-core").exists() {
        missing("playwright-core (npm ci --prefix tests/browser)");
        return None;
    }
    let pictures = std::env::var_os("GYM_TELEMETRY_PICTURES").map_or_else(|| PathBuf::from("-"), PathBuf::from);
    let mut node = Command::new("node");
    node.arg(Path::new(FOLDER).join("look.js")).arg(pictures);
    node.args(addresses.into_iter().map(|address| address.as_ref().to_owned()));
    let output = node.stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success(), "the browser failed");
    Some(output.stdout)
}
