use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use rustix::{
    fd::{AsFd, OwnedFd},
    fs::{PROC_SUPER_MAGIC, fstatfs},
    io::pread,
    process::{Resource, getrlimit},
};

/// The part of the files that this process may open that is taken at most.
const SHARE: u64 = 8;

/// More are never kept open, whatever this process may.
const MOST: u64 = 4096;

/// How many more files may be kept open between readings. To open and to close one costs more than to read it.
#[derive(Debug, Clone)]
pub(super) struct Room(Arc<AtomicU64>);

/// A file that is kept open. It stays that of its process: once that has ended, reading fails, even if another process
/// has its id.
#[derive(Debug)]
pub(crate) struct Kept {
    file: OwnedFd,
    room: Room,
}

impl Room {
    /// What there is for the files of a folder. A folder that only looks like `/proc` has none, because its files
    /// outlive their removal while they are open.
    pub(super) fn new(folder: impl AsFd) -> Self {
        let real = fstatfs(folder).is_ok_and(|found| found.f_type == PROC_SUPER_MAGIC);
        let allowed = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        Self(Arc::new(AtomicU64::new(if real { (allowed / SHARE).min(MOST) } else { 0 })))
    }

    /// Keeps a file open, if there is room.
    pub(super) fn keep(&self, file: OwnedFd) -> Option<Kept> {
        let take = |left: u64| left.checked_sub(1);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).ok()?;
        Some(Kept { file, room: self.clone() })
    }
}

impl Kept {
    /// Reads the file from its beginning; a file of one line is read whole.
    pub(super) fn read(&self, text: &mut [u8]) -> io::Result<usize> {
        Ok(pread(&self.file, text, 0)?)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.room.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn no_more_files_are_kept_than_there_is_room_for() {
        let file = || File::open("/proc/self/statm").unwrap().into();
        let room = Room(Arc::new(AtomicU64::new(2)));
        let kept = [room.keep(file()), room.keep(file())];
        assert!(kept.iter().all(Option::is_some) && room.keep(file()).is_none());
        drop(kept);
        assert!(room.keep(file()).is_some());
    }
}
