use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
};

/// An append-only file of lines whose end is always the end of a line.
#[derive(Debug)]
pub(super) struct LineFile {
    file: File,
    length: u64,
}

impl LineFile {
    /// Opens or creates the file. A last line without a line break is what a crash left of a row: it is cut off.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        let length = file.metadata()?.len();
        let whole = end_of_last_line(&mut file, length)?;
        if whole < length {
            tracing::warn!(
                target: "gym_telemetry", file = %path.display(), bytes = length - whole, "cut off a torn last line"
            );
            file.set_len(whole)?;
        }
        file.seek(SeekFrom::Start(whole))?;
        Ok(Self { file, length: whole })
    }

    /// Appends a line, its break included. After an error the file is as long as before.
    pub(super) fn append(&mut self, line: &[u8]) -> io::Result<()> {
        match self.file.write_all(line).and_then(|()| self.file.flush()) {
            Ok(()) => {
                self.length += line.len() as u64;
                Ok(())
            }
            Err(error) => {
                self.file.set_len(self.length)?;
                self.file.seek(SeekFrom::Start(self.length))?;
                Err(error)
            }
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
