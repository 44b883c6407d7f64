//! Reading a recording.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use gym_telemetry_collector::decode::{Format, decode};
use gym_telemetry_collector::{Snapshot, Store};

use super::format::{Frame, MAGIC, MOST_BYTES, take};
use crate::history::{History, Settings};

/// What a recording held.
#[derive(Debug)]
#[non_exhaustive]
pub struct Replayed {
    /// The past, as it was when the recording ended.
    pub history: History,
    /// The latest state of every series then.
    pub state: Snapshot,
    /// How many requests were read.
    pub requests: u64,
    /// Where in the file, in bytes, something follows that is no whole request, as a kill leaves it; it is not read.
    pub torn: Option<u64>,
}

/// Why a recording cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    #[non_exhaustive]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file is something else, or of a version that is not known.
    #[error("{} is no recording", path.display())]
    #[non_exhaustive]
    Unknown {
        /// The file.
        path: PathBuf,
    },
}

/// Reads a recording into a history whose clock stands at its last request.
///
/// # Errors
///
/// When the file cannot be read, or is no recording. One that ends in the middle of a request is read up to there.
pub fn replay(path: impl AsRef<Path>, settings: Settings) -> Result<Replayed, ReplayError> {
    let path = path.as_ref();
    let failed = |source| ReplayError::Read { path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    let mut file = BufReader::new(file);
    if take(&mut file).map_err(failed)? != Some(MAGIC) {
        return Err(ReplayError::Unknown { path: path.to_owned() });
    }
    let limits = settings.limits();
    let history = History::new(settings);
    let mut store = Store::observed(limits, history.observer());
    let (mut requests, mut read) = (0, MAGIC.len() as u64);
    while let Some(frame) = Frame::read(&mut file).map_err(failed)? {
        let Ok(request) = decode(&frame.body, Format::Protobuf, MOST_BYTES) else { break };
        history.set_clock(frame.arrival.max(1));
        store.apply(request);
        requests += 1;
        read += frame.length();
    }
    let torn = (read < length).then_some(read);
    Ok(Replayed { history, state: store.snapshot(), requests, torn })
}
