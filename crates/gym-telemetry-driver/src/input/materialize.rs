use std::{
    fs::File,
    io::{BufRead, BufReader, BufWriter, Write},
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use gym_telemetry_core::DriverMetrics;
use serde_json::{Map, Value};

use super::InputError;

/// One row of a run, ready to be dispatched.
///
/// The repetitions of a task share what the input says of it, so that a row that waits takes next to no memory.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Materialized {
    /// The place of its task in the input, from 0.
    pub task: u64,
    /// Which repetition of the task it is, from 0.
    pub rollout: u64,
    /// The line of the input that it comes from, from 1.
    pub line: usize,
    input: Arc<Map<String, Value>>,
}

/// The rows of a run as read, of which nothing has been written or told yet.
#[derive(Debug)]
#[must_use = "rows are counted and written by `materialize`"]
pub struct Input {
    rows: Vec<Materialized>,
    took: Duration,
}

impl Input {
    /// Reads the rows of a file and repeats each `repeats` times in a row.
    ///
    /// Empty lines and a byte order mark are passed over; with a limit, no more than that many tasks are read. It
    /// blocks: call it before dispatch, or on a blocking thread.
    ///
    /// # Errors
    ///
    /// [`InputError`] names the file, and the line where it is a line's fault.
    pub fn read(path: &Path, repeats: u64, limit: Option<usize>) -> Result<Self, InputError> {
        let since = Instant::now();
        let tasks = read(path, limit)?;
        let wanted = tasks.len() as u128 * u128::from(repeats);
        let mut rows = Vec::new();
        let room = usize::try_from(wanted).ok().and_then(|wanted| rows.try_reserve_exact(wanted).ok());
        room.ok_or_else(|| InputError::TooMany { path: path.to_owned(), rows: wanted })?;
        for (task, (line, input)) in (0..).zip(tasks) {
            rows.extend((0..repeats).map(|rollout| Materialized { task, rollout, line, input: Arc::clone(&input) }));
        }
        Ok(Self { rows, took: since.elapsed() })
    }

    /// The rows in the order in which they are dispatched.
    #[must_use]
    pub fn rows(&self) -> &[Materialized] {
        &self.rows
    }

    /// Writes the rows to `output` if it is given. The time of this and of reading them is
    /// `gym.driver.materialize_duration_ms`.
    ///
    /// # Errors
    ///
    /// [`InputError::Write`] if there is an output that cannot be written.
    pub fn materialize(self, output: Option<&Path>, metrics: &DriverMetrics) -> Result<Vec<Materialized>, InputError> {
        let since = Instant::now();
        if let Some(path) = output {
            write(path, &self.rows).map_err(|source| InputError::Write { path: path.to_owned(), source })?;
        }
        metrics.materialized(self.took + since.elapsed());
        Ok(self.rows)
    }
}

/// Reads the rows of `input`, repeats each `repeats` times in a row, and writes them to `output` if it is given:
/// [`Input`] in one step.
///
/// # Errors
///
/// [`InputError`] names the file, and the line where it is a line's fault.
pub fn materialize(
    input: &Path,
    repeats: u64,
    limit: Option<usize>,
    output: Option<&Path>,
    metrics: &DriverMetrics,
) -> Result<Vec<Materialized>, InputError> {
    Input::read(input, repeats, limit)?.materialize(output, metrics)
}

impl Materialized {
    /// The row of its task, as the input has it.
    #[must_use]
    pub fn input(&self) -> &Map<String, Value> {
        &self.input
    }

    /// The same with `_ng_task_index` and `_ng_rollout_index` set: what is dispatched.
    #[must_use]
    pub fn row(&self) -> Map<String, Value> {
        let mut row = Map::clone(&self.input);
        row.insert("_ng_task_index".to_owned(), self.task.into());
        row.insert("_ng_rollout_index".to_owned(), self.rollout.into());
        row
    }
}

/// What some editors put before UTF-8 text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A row and the line that it stands on.
type Line = (usize, Arc<Map<String, Value>>);

fn read(path: &Path, limit: Option<usize>) -> Result<Vec<Line>, InputError> {
    let read_error = |source| InputError::Read { path: path.to_owned(), source };
    let file = BufReader::new(File::open(path).map_err(read_error)?);
    let mut rows = Vec::new();
    for (line, text) in (1..).zip(file.split(b'\n')) {
        if limit.is_some_and(|limit| rows.len() >= limit) {
            break;
        }
        let text = text.map_err(read_error)?;
        let text = if line == 1 { text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text) } else { &text };
        if !text.trim_ascii().is_empty() {
            let row_error = |reason| InputError::Row { path: path.to_owned(), line, reason };
            rows.push((line, parse(text).map(Arc::new).map_err(row_error)?));
        }
    }
    Ok(rows)
}

fn parse(text: &[u8]) -> Result<Map<String, Value>, String> {
    let text = str::from_utf8(text).map_err(|error| format!("not UTF-8: {error}"))?;
    match serde_json::from_str(text) {
        Ok(Value::Object(row)) => Ok(row),
        Ok(_) => Err("a row must be a JSON object".to_owned()),
        Err(error) => Err(format!("not JSON: {error}")),
    }
}

fn write(path: &Path, rows: &[Materialized]) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for row in rows {
        serde_json::to_writer(&mut file, &row.row())?;
        file.write_all(b"\n")?;
    }
    file.flush()
}
