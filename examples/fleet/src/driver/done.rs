use std::{
    collections::{HashMap, HashSet},
    fs::{File, OpenOptions},
    io::{BufRead as _, BufReader, ErrorKind, Write as _},
    path::Path,
};

use anyhow::{Context as _, Result, bail};
use gym_telemetry::driver::Materialized;

use crate::{paths::Paths, tasks::Row};

/// The task and the repetition of a row.
type Index = (u64, u64);

/// What the output of a run held before it.
#[derive(Debug, Default)]
pub(crate) struct Done {
    results: HashSet<Index>,
    /// Lines of the materialized rows that have results, and that are none of this run's.
    other_rows: Vec<u8>,
}

impl Done {
    /// Reads the output, and changes nothing. It must be of a run over the same input, as far as can be seen.
    pub(crate) fn read(paths: &Paths, rows: &[Materialized]) -> Result<Self> {
        let mut done = Self::default();
        let output = &paths.output;
        each_line(output, |number, line, whole| {
            let row = serde_json::from_slice::<Row>(line);
            // What a crash left of the last line is cut off later.
            let is_torn = !whole && row.is_err() && line.starts_with(b"{");
            match row.ok().and_then(|row| index(&row)) {
                Some(index) => drop(done.results.insert(index)),
                None if is_torn => {}
                None => bail!("{}:{number}: this is no result of a rollout; choose another --output", output.display()),
            }
            Ok(())
        })?;
        if !done.results.is_empty() {
            done.read_rows(paths, rows)?;
        }
        Ok(done)
    }

    /// Whether there is a result of this row.
    pub(crate) fn has(&self, row: &Materialized) -> bool {
        self.results.contains(&(row.task, row.rollout))
    }

    /// Adds the rows of other results to those of this run, so that a later run can tell them from its own.
    pub(crate) fn keep_other_rows(&self, paths: &Paths) -> Result<()> {
        if self.other_rows.is_empty() {
            return Ok(());
        }
        let path = &paths.materialized;
        let written = OpenOptions::new().append(true).open(path).and_then(|mut file| file.write_all(&self.other_rows));
        written.with_context(|| format!("cannot write {}", path.display()))
    }

    /// The rows that earlier runs wrote beside their output say which input its results are of.
    fn read_rows(&mut self, paths: &Paths, rows: &[Materialized]) -> Result<()> {
        let now: HashMap<Index, &Materialized> = rows.iter().map(|row| ((row.task, row.rollout), row)).collect();
        each_line(&paths.materialized, |number, line, _| {
            let before = serde_json::from_slice::<Row>(line).ok();
            let Some((index, before)) = before.and_then(|row| Some((index(&row)?, row))) else { return Ok(()) };
            match now.get(&index) {
                _ if !self.results.contains(&index) => {}
                None => self.other_rows.extend([line.trim_ascii_end(), b"\n"].concat()),
                Some(now) if now.row() == before => {}
                Some(now) => bail!(
                    "{}:{number}: this is not the row that {}:{} is now: the results in {} are of another input; choose another \
                     --output",
                    paths.materialized.display(),
                    paths.rows.display(),
                    now.line,
                    paths.output.display(),
                ),
            }
            Ok(())
        })
    }
}

fn index(row: &Row) -> Option<Index> {
    row.get("_ng_task_index")?.as_u64().zip(row.get("_ng_rollout_index")?.as_u64())
}

/// Visits the lines of a regular file, if there is one: their numbers, their bytes, and whether they are whole.
fn each_line(path: &Path, mut visit: impl FnMut(usize, &[u8], bool) -> Result<()>) -> Result<()> {
    let cannot = || format!("cannot read {}", path.display());
    match path.metadata() {
        Ok(found) if !found.is_file() => return Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error).with_context(cannot),
        Ok(_) => {}
    }
    let mut file = BufReader::new(File::open(path).with_context(cannot)?);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        if file.read_until(b'\n', &mut line).with_context(cannot)? == 0 {
            break;
        }
        visit(number, &line, line.ends_with(b"\n"))?;
    }
    Ok(())
}
