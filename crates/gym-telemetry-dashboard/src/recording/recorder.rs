//! Writing a recording.

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use gym_telemetry_collector::{Attributes, Observer, Request, Update};

use super::format::{Frame, MAGIC};
use crate::history::unix_millis;

/// Writes each request to a file before it is taken in.
///
/// It has no end to its length, so it suits runs that have one.
#[must_use = "a recorder records nothing until a collector shows it what comes"]
pub struct Recorder {
    /// Nothing once writing has failed.
    file: Option<File>,
    failed: Box<dyn FnMut(io::Error) + Send>,
}

impl Recorder {
    /// Begins a recording in a new file. When it can later not be written to, `failed` is told once, what was recorded
    /// stays, and the requests go on being taken in.
    ///
    /// # Errors
    ///
    /// When the file exists already, or cannot be made.
    pub fn create(path: impl AsRef<Path>, failed: impl FnMut(io::Error) + Send + 'static) -> io::Result<Self> {
        let mut file = File::create_new(path)?;
        file.write_all(&MAGIC)?;
        Ok(Self { file: Some(file), failed: Box::new(failed) })
    }
}

impl Observer for Recorder {
    fn observe(&mut self, _: &Update<'_>) {}

    fn begin(&mut self, request: &Request<'_>) {
        let Some(file) = &mut self.file else { return };
        let frame = Frame::bytes(unix_millis(), |bytes| bytes.extend_from_slice(request.as_bytes()));
        if let Err(error) = file.write_all(&frame) {
            self.file = None;
            (self.failed)(error);
        }
    }

    /// Always: what it has written stays.
    fn lets_go(&mut self, _: &Attributes) -> bool {
        true
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("file", &self.file).finish_non_exhaustive()
    }
}
