use std::{ffi::CStr, fmt, io, io::Write as _, path::Path};

use rustix::{
    fd::{AsFd, OwnedFd},
    fs::{AtFlags, CWD, Mode, OFlags, Stat, openat, statat},
    io::{Errno, pread},
};

use super::kept::{Kept, Room};

/// What the buffer for a file's content begins with: more than all but lists of very many children need.
const ROOM: usize = 4096;

/// A content this short came whole: the kernel writes such files by at least a page, less the entry that fits no more.
const WHOLE: usize = ROOM / 2;

/// A proc filesystem, with what is needed to read it again and again.
///
/// Its folder is held open, so that no path is walked from the root, and its buffers are kept, so that nothing is
/// allocated once they are large enough.
///
/// # Example
///
/// ```
/// # fn main() -> std::io::Result<()> {
/// use gym_telemetry_procfs::ProcFs;
///
/// let mut proc = ProcFs::open("/proc")?;
/// let me = std::process::id();
/// assert!(proc.rss(me)? > 0);
/// if let Some(shares) = proc.shares(me)? {
///     assert!(shares.pss <= shares.rss);
/// }
/// # Ok(())
/// # }
/// ```
pub struct ProcFs {
    folder: OwnedFd,
    path: Vec<u8>,
    pub(super) text: Vec<u8>,
    pub(super) entries: Vec<u8>,
    pub(super) threads: Vec<u32>,
    pub(super) room: Room,
    pub(super) page: u64,
}

impl ProcFs {
    /// The proc filesystem in this folder: `/proc`, or one that looks like it.
    ///
    /// # Errors
    ///
    /// When the folder cannot be opened.
    pub fn open(folder: impl AsRef<Path>) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = openat(CWD, folder.as_ref(), flags, Mode::empty())?;
        Ok(Self {
            room: Room::new(&folder),
            folder,
            path: Vec::new(),
            text: vec![0; ROOM],
            entries: Vec::with_capacity(ROOM),
            threads: Vec::new(),
            page: u64::try_from(rustix::param::page_size()).unwrap_or(u64::MAX),
        })
    }

    /// The content of a file.
    pub(crate) fn content(&mut self, path: fmt::Arguments<'_>) -> io::Result<&[u8]> {
        let length = self.fill(path)?;
        Ok(&self.text[..length])
    }

    /// Reads a file into the buffer, and returns its length.
    pub(super) fn fill(&mut self, path: fmt::Arguments<'_>) -> io::Result<usize> {
        let file = self.open_at(path, OFlags::RDONLY)?;
        self.fill_from(&file)
    }

    /// The same of a file that is kept open from the first reading on, if there is room for it beyond a part that is
    /// left to others.
    pub(super) fn fill_again(
        &mut self,
        path: fmt::Arguments<'_>,
        kept: &mut Option<Kept>,
        left_to_others: u64,
    ) -> io::Result<usize> {
        if let Some(file) = kept {
            return self.fill_from(&*file);
        }
        let file = self.open_at(path, OFlags::RDONLY)?;
        let length = self.fill_from(&file)?;
        *kept = self.room.keep(file, left_to_others);
        Ok(length)
    }

    /// Reads an open file from its beginning into the buffer, and returns its length.
    fn fill_from(&mut self, file: impl AsFd) -> io::Result<usize> {
        let mut length = 0;
        loop {
            let more = match pread(&file, &mut self.text[length..], length as u64) {
                Err(Errno::INTR) => continue,
                more => more?,
            };
            let first = length == 0;
            length += more;
            if more == 0 || first && more < WHOLE {
                return Ok(length);
            }
            if length == self.text.len() {
                self.text.resize(length * 2, 0);
            }
        }
    }

    pub(super) fn open_at(&mut self, path: fmt::Arguments<'_>, flags: OFlags) -> io::Result<OwnedFd> {
        let path = terminated(&mut self.path, path)?;
        Ok(openat(&self.folder, path, flags | OFlags::CLOEXEC, Mode::empty())?)
    }

    /// What the kernel knows of a file or folder without opening it.
    pub(super) fn stat_at(&mut self, path: fmt::Arguments<'_>) -> io::Result<Stat> {
        let path = terminated(&mut self.path, path)?;
        Ok(statat(&self.folder, path, AtFlags::empty())?)
    }
}

/// A path as the kernel wants it, in a buffer.
fn terminated<'a>(buffer: &'a mut Vec<u8>, path: fmt::Arguments<'_>) -> io::Result<&'a CStr> {
    buffer.clear();
    write!(buffer, "{path}\0")?;
    CStr::from_bytes_with_nul(buffer).map_err(io::Error::other)
}

impl fmt::Debug for ProcFs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProcFs").field("folder", &self.folder).finish_non_exhaustive()
    }
}
