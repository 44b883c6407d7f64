//! The rows that a run is made of.

use std::{fs, path::Path};

use anyhow::{Context as _, Result, anyhow, ensure};
use gym_telemetry::driver::Input;
use serde_json::{Map, Value};

use crate::{cli::Options, verifier::Task};

/// A JSON object of the input.
pub(crate) type Row = Map<String, Value>;

/// What a finished rollout has and a fresh row has not.
const RESULTS: [&str; 2] = ["response", "reward"];

const BUNDLED: &str = include_str!("../data/tasks.jsonl");

/// The run's rows, all of which can be scored; the bundled ones are written to their file first.
///
/// # Errors
///
/// They name file, line and field.
pub(crate) fn input(options: &Options, path: &Path) -> Result<Input> {
    if options.input.is_none() && options.replay.is_none() {
        fs::write(path, BUNDLED).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let input = Input::read(path, options.repeats, options.limit)?;
    ensure!(!input.rows().is_empty(), "no rows: {} has none, or --limit leaves none", path.display());
    for row in input.rows().iter().filter(|row| row.rollout == 0) {
        check_row(row.input(), options.replay.is_some())
            .map_err(|fault| anyhow!("{}:{}: {fault}", path.display(), row.line))?;
    }
    Ok(input)
}

fn check_row(row: &Row, replay: bool) -> Result<(), String> {
    match row.get("responses_create_params").and_then(|params| params.get("input")) {
        Some(Value::String(_) | Value::Array(_)) => {}
        Some(_) => return Err("field `responses_create_params.input` must be a string or a list".to_owned()),
        None => return Err("field `responses_create_params.input` is missing".to_owned()),
    }
    if !replay {
        return Task::of(row).map(drop);
    }
    match row.get("response") {
        Some(Value::Object(_)) => Ok(()),
        _ => Err("field `response` is missing: there is nothing to replay".to_owned()),
    }
}

/// A row as it is dispatched: without results.
pub(crate) fn fresh(mut row: Row) -> Row {
    RESULTS.iter().for_each(|field| drop(row.remove(*field)));
    row
}

/// Reads the rows of a file that has been checked before.
pub(crate) fn read(path: &Path) -> Result<Vec<Row>> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let rows =
        text.trim_start_matches('\u{feff}').lines().filter(|line| !line.trim().is_empty()).map(serde_json::from_str);
    rows.collect::<Result<_, _>>().with_context(|| format!("{} is not JSON lines", path.display()))
}
