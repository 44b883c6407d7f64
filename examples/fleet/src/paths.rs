//! The files that a run reads and writes.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail};

use crate::cli::Options;

/// Where runs go that name no output.
const OUTPUT_FOLDER: &str = "fleet-output";

/// Every file of a run that comes from its input or its output.
#[derive(Debug)]
pub(crate) struct Paths {
    /// The rows as they are given, or the bundled ones.
    pub(crate) rows: PathBuf,
    pub(crate) output: PathBuf,
    pub(crate) failures: PathBuf,
    pub(crate) materialized: PathBuf,
    pub(crate) page: PathBuf,
    folder: Option<NewFolder>,
}

/// A folder that was made for a run. Unless the run begins, it goes again with all that is in it.
#[derive(Debug)]
struct NewFolder {
    path: PathBuf,
    begun: bool,
}

impl Paths {
    /// The files that the options ask for. Two of them may not be one, and rows must be there to be read twice.
    pub(crate) fn of(options: &Options) -> Result<Self> {
        let (output, folder) = match &options.output {
            Some(output) => (output.clone(), None),
            None => {
                let folder = NewFolder::beside_others(Path::new(OUTPUT_FOLDER))?;
                (folder.path.join("rollouts.jsonl"), Some(folder))
            }
        };
        let given = options.input.as_ref().or(options.replay.as_ref());
        let paths = Self {
            rows: given.cloned().unwrap_or_else(|| output.with_extension("tasks.jsonl")),
            failures: failures_beside(&output),
            materialized: output.with_extension("materialized.jsonl"),
            page: output.with_extension("html"),
            output,
            folder,
        };
        paths.refuse_clashes(options)?;
        // Opening a pipe may hang, so it is not opened to find out.
        if given.is_some() && fs::metadata(&paths.rows).is_ok_and(|rows| !rows.is_file()) {
            bail!(
                "{} is no regular file: the servers read it again, so write it to a file first",
                paths.rows.display()
            );
        }
        Ok(paths)
    }

    /// The run begins: what it has written stays from here on.
    pub(crate) fn begin(&mut self) {
        self.folder.iter_mut().for_each(|folder| folder.begun = true);
    }

    fn refuse_clashes(&self, options: &Options) -> Result<()> {
        let rows = match (&options.input, &options.replay) {
            (Some(_), _) => "--input",
            (_, Some(_)) => "--replay",
            _ => "the bundled tasks beside --output",
        };
        let page = (!options.no_page && !options.keep).then_some(&self.page);
        let files = [
            (rows, Some(&self.rows)),
            ("--output", Some(&self.output)),
            ("the failures beside --output", Some(&self.failures)),
            ("the materialized rows beside --output", Some(&self.materialized)),
            ("the page beside --output", page),
            ("--metrics-json", options.metrics_json.as_ref()),
            ("--config", options.config.as_ref()),
        ];
        let mut seen: Vec<(&str, PathBuf)> = Vec::new();
        for (role, path) in files.into_iter().filter_map(|(role, path)| Some((role, path?))) {
            let Some(place) = place(path) else { continue };
            if let Some((other, _)) = seen.iter().find(|(_, taken)| *taken == place) {
                bail!("{other} and {role} are the same file, {}", path.display());
            }
            seen.push((role, place));
        }
        Ok(())
    }
}

impl NewFolder {
    /// One more beside those of earlier runs.
    fn beside_others(parent: &Path) -> Result<Self> {
        fs::create_dir_all(parent).with_context(|| format!("cannot create {}", parent.display()))?;
        for number in 1_u32.. {
            let path = parent.join(format!("run-{number}"));
            match fs::create_dir(&path) {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                made => {
                    made.with_context(|| format!("cannot create {}", path.display()))?;
                    return Ok(Self { path, begun: false });
                }
            }
        }
        bail!("{} holds more runs than can be counted", parent.display())
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        if !self.begun {
            // What cannot be removed stays; so does the folder of all runs, unless this was the only one.
            let _ = fs::remove_dir_all(&self.path);
            let _ = self.path.parent().map(fs::remove_dir);
        }
    }
}

/// Where a file is or will be, whatever leads there; devices may serve many.
fn place(path: &Path) -> Option<PathBuf> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => None,
        Ok(_) => path.canonicalize().ok(),
        Err(_) => {
            let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
            Some(folder.canonicalize().unwrap_or_else(|_| folder.to_owned()).join(path.file_name()?))
        }
    }
}

/// `NAME_failures.jsonl` for `NAME.jsonl`.
fn failures_beside(output: &Path) -> PathBuf {
    let mut name = output.file_stem().unwrap_or_default().to_owned();
    name.push("_failures.jsonl");
    output.with_file_name(name)
}
