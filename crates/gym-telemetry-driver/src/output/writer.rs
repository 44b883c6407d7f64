use std::{
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    thread,
    time::Instant,
};

use gym_telemetry_core::DriverMetrics;
use tokio::sync::oneshot;

use super::{OutputError, file::LineFile};

/// Appends rows to a file of JSON lines, one flush a row, from a thread of its own.
///
/// The time of each write and flush is `gym.driver.output_write_duration_ms`, its size
/// `gym.driver.output_write_bytes`. Cloning it shares the file, which no other writer has meanwhile.
#[derive(Debug, Clone)]
pub struct OutputWriter {
    path: Arc<Path>,
    rows: mpsc::Sender<Row>,
}

#[derive(Debug)]
struct Row {
    line: Vec<u8>,
    done: oneshot::Sender<Result<(), OutputError>>,
}

impl OutputWriter {
    /// Opens or creates the file. A last row that a crash tore is cut off; one that lacks only its line break gets it.
    ///
    /// It blocks: call it before dispatch, or on a blocking thread.
    ///
    /// # Errors
    ///
    /// [`OutputError::Open`] if the file cannot be opened for writing, or another writer has it, in whichever process.
    pub fn open(path: impl Into<PathBuf>, metrics: DriverMetrics) -> Result<Self, OutputError> {
        let path: Arc<Path> = path.into().into();
        let open_error = |source| OutputError::Open { path: path.to_path_buf(), source };
        let file = LineFile::open(&path).map_err(open_error)?;
        let (rows, queue) = mpsc::channel();
        thread::Builder::new()
            .name("output-writer".to_owned())
            .spawn({
                let path = Arc::clone(&path);
                move || write_rows(file, &path, &queue, &metrics)
            })
            .map_err(open_error)?;
        Ok(Self { path, rows })
    }

    /// Appends one row, a JSON document without a line break, and flushes it.
    ///
    /// # Errors
    ///
    /// The row is not in the file, and every earlier row is, whole.
    ///
    /// # Cancel safety
    ///
    /// The row is written even if the future is dropped once it was polled, as long as the process lives.
    pub async fn write(&self, row: impl Into<Vec<u8>>) -> Result<(), OutputError> {
        let mut line = row.into();
        if line.contains(&b'\n') {
            return Err(OutputError::NotOneLine { path: self.path.to_path_buf() });
        }
        line.push(b'\n');
        let ended = || OutputError::Ended { path: self.path.to_path_buf() };
        let (done, written) = oneshot::channel();
        self.rows.send(Row { line, done }).map_err(|_| ended())?;
        written.await.map_err(|_| ended())?
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Writes rows as they come, until the last writer is dropped.
fn write_rows(mut file: LineFile, path: &Path, rows: &mpsc::Receiver<Row>, metrics: &DriverMetrics) {
    for Row { line, done } in rows {
        let since = Instant::now();
        let written = file.append(&line);
        if written.is_ok() {
            metrics.output_written(since.elapsed(), line.len() as u64);
        }
        // Whoever gave up waiting does not need the answer.
        let _ = done.send(written.map_err(|source| OutputError::Write { path: path.to_path_buf(), source }));
    }
}
