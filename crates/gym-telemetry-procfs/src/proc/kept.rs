use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use rustix::{
    fd::{AsFd, BorrowedFd, OwnedFd},
    fs::{PROC_SUPER_MAGIC, fstatfs},
    process::{Resource, getrlimit},
};

/// The part of the files that this process may open that is taken at most.
const SHARE: u64 = 8;

/// More are never kept open, whatever this process may.
const MOST: u64 = 4096;

/// How many more files may be kept open between readings. To open and to close one costs more than to read it.
#[derive(Debug, Clone)]
pub(super) struct Room {
    all: u64,
    left: Arc<AtomicU64>,
}

/// A file that is kept open. It stays that of its process: once that has ended, nothing can be read of it, even if
/// another process has its id.
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
        Self::of(if real { (allowed / SHARE).min(MOST) } else { 0 })
    }

    fn of(all: u64) -> Self {
        Self { all, left: Arc::new(AtomicU64::new(all)) }
    }

    /// Half of all that there is.
    pub(super) fn half(&self) -> u64 {
        self.all / 2
    }

    /// Keeps a file open, if there is room and as much as `reserve` stays free.
    pub(super) fn keep(&self, file: OwnedFd, reserve: u64) -> Option<Kept> {
        let take = |left: u64| left.checked_sub(1).filter(|left| *left >= reserve);
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).ok()?;
        Some(Kept { file, room: self.clone() })
    }
}

impl AsFd for Kept {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.room.left.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn no_more_files_are_kept_than_there_is_room_for() {
        let file = || File::open("/proc/self/statm").unwrap().into();
        let room = Room::of(4);
        let kept = [room.keep(file(), room.half()), room.keep(file(), room.half())];
        assert!(kept.iter().all(Option::is_some) && room.keep(file(), room.half()).is_none());
        let others = [room.keep(file(), 0), room.keep(file(), 0)];
        assert!(others.iter().all(Option::is_some) && room.keep(file(), 0).is_none());
        drop(kept);
        assert!(room.keep(file(), 0).is_some());
    }
}
