use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, ErrorKind, Read, Seek, SeekFrom, Write},
    path::Path,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Map, Value};

/// An append-only file of lines, in which a line is whole or not at all.
#[derive(Debug)]
pub(super) struct LineFile {
    file: File,
    /// Where the last whole line ends; none where nothing can be taken back, as in a pipe.
    whole: Option<u64>,
    /// Whether part of a line may stand behind it.
    torn: bool,
}

impl LineFile {
    /// Opens or creates the file, for as long as nobody else writes to it.
    ///
    /// A last line without a line break is what a crash left. If it is a whole row all the same, it gets its line
    /// break; else it is cut off.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let regular = match fs::metadata(path) {
            Ok(metadata) => metadata.is_file(),
            Err(error) if error.kind() == ErrorKind::NotFound => true,
            Err(error) => return Err(error),
        };
        if !regular {
            return Ok(Self { file: OpenOptions::new().write(true).open(path)?, whole: None, torn: false });
        }
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        lock(&file)?;
        let length = file.metadata()?.len();
        let whole = end_of_last_line(&mut file, length)?;
        let mut lines = Self { file, whole: Some(whole), torn: whole < length };
        if lines.torn {
            lines.mend(path, whole)?;
        }
        lines.file.seek(SeekFrom::End(0))?;
        Ok(lines)
    }

    /// Appends a line, its break included. After an error the file ends with the line before it.
    pub(super) fn append(&mut self, line: &[u8]) -> io::Result<()> {
        self.take_back()?;
        match self.write_all(line) {
            Ok(()) => {
                self.whole = self.whole.map(|whole| whole + line.len() as u64);
                self.file.flush()
            }
            Err(error) => {
                // If this fails too, it is tried again before the next line.
                let _ = self.take_back();
                Err(error)
            }
        }
    }

    /// Writes all or fails; remembers whether part of it was written.
    fn write_all(&mut self, mut line: &[u8]) -> io::Result<()> {
        while !line.is_empty() {
            match self.file.write(line) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(written) => {
                    line = &line[written..];
                    self.torn = true;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => (),
                Err(error) => return Err(error),
            }
        }
        self.torn = false;
        Ok(())
    }

    /// Cuts off what stands behind the last whole line.
    fn take_back(&mut self) -> io::Result<()> {
        if !self.torn {
            return Ok(());
        }
        let whole = self.whole.ok_or_else(|| io::Error::other("part of an earlier row was written"))?;
        self.file.set_len(whole)?;
        self.file.seek(SeekFrom::Start(whole))?;
        self.torn = false;
        Ok(())
    }

    /// Completes or cuts off a last line that has no break.
    fn mend(&mut self, path: &Path, start: u64) -> io::Result<()> {
        let mut last = Vec::new();
        self.file.seek(SeekFrom::Start(start))?;
        self.file.read_to_end(&mut last)?;
        let row = serde_json::from_slice::<Map<String, Value>>(&last).is_ok();
        if row {
            self.write_all(b"\n")?;
            self.whole = Some(start + last.len() as u64 + 1);
        } else {
            self.take_back()?;
        }
        tracing::warn!(
            target: "gym_telemetry", file = %path.display(), bytes = last.len(), kept = row, "the last row was torn"
        );
        Ok(())
    }
}

/// How long an earlier writer gets to end: who drops one does not wait for its last row.
const PATIENCE: Duration = Duration::from_secs(1);

/// Keeps other writers out until the file is closed: each of them would write over the others' rows.
fn lock(file: &File) -> io::Result<()> {
    let since = Instant::now();
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if since.elapsed() < PATIENCE => thread::sleep(PATIENCE / 100),
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(ErrorKind::ResourceBusy, "something else writes to it"));
            }
            // Where there are no locks, rows are written all the same.
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(()),
        }
    }
}

/// How much is read at a time when the end of the last whole line is looked for.
const BLOCK: u64 = 64 * 1024;

/// The offset behind the last line break; 0 without one.
fn end_of_last_line(file: &mut File, length: u64) -> io::Result<u64> {
    let mut end = length;
    let mut block = Vec::new();
    while end > 0 {
        let start = end.saturating_sub(BLOCK);
        file.seek(SeekFrom::Start(start))?;
        block.clear();
        file.take(end - start).read_to_end(&mut block)?;
        if let Some(at) = block.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}
