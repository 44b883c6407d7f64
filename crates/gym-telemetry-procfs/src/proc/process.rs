use std::{fmt, io};

use rustix::{
    fs::{OFlags, RawDir},
    io::Errno,
};

use super::{Kept, ProcFs};
use crate::parse::{self, Shares, Stat, Statm};

/// What the folder of a process's threads tells at a glance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Task {
    /// The kernel makes a new folder for each process: while this stays, the process behind an id is the same.
    pub(crate) inode: u64,
    /// Whether there is one thread and no more.
    pub(crate) single: bool,
}

impl ProcFs {
    /// The resident memory of a process in bytes, from its `statm`.
    ///
    /// # Errors
    ///
    /// When the process is gone or out of sight, or the content is not what it should be.
    pub fn rss(&mut self, pid: u32) -> io::Result<u64> {
        let pages = self.statm(pid)?.resident;
        Ok(self.bytes(pages))
    }

    /// The resident and the proportional memory of a process, from its `smaps_rollup`; none where it is empty.
    ///
    /// The kernel visits every page of the process for it, and meanwhile nothing new can be mapped there: milliseconds
    /// for each gibibyte.
    ///
    /// # Errors
    ///
    /// When the process is gone, has no memory, belongs to somebody else, or the kernel knows no such file.
    pub fn shares(&mut self, pid: u32) -> io::Result<Option<Shares>> {
        match self.content(format_args!("{pid}/smaps_rollup")).map(parse::shares) {
            Err(error) if error.raw_os_error() == Some(Errno::SRCH.raw_os_error()) => {
                let of_thread = |proc: &mut Self, thread| {
                    proc.content(format_args!("{pid}/task/{thread}/smaps_rollup")).map(parse::shares).ok()?
                };
                self.ask_threads(pid, of_thread).map(Some).ok_or(error)
            }
            shares => shares,
        }
    }

    /// Who a process is.
    ///
    /// # Errors
    ///
    /// When the process is gone or out of sight, or the content is not what it should be.
    pub fn stat(&mut self, pid: u32) -> io::Result<Stat> {
        well_formed(parse::stat(self.content(format_args!("{pid}/stat"))?))
    }

    /// Pages in bytes.
    pub(crate) fn bytes(&self, pages: u64) -> u64 {
        pages.saturating_mul(self.page)
    }

    /// Bytes in pages.
    pub(crate) fn pages(&self, bytes: u64) -> u64 {
        bytes / self.page
    }

    pub(crate) fn statm(&mut self, pid: u32) -> io::Result<Statm> {
        let memory = well_formed(parse::statm(self.content(format_args!("{pid}/statm"))?))?;
        Ok(self.whole(pid, memory))
    }

    /// The same, for a process that is read again and again.
    pub(crate) fn statm_again(&mut self, pid: u32, kept: &mut Option<Kept>) -> io::Result<Statm> {
        let length = self.fill_again(format_args!("{pid}/statm"), kept, 0)?;
        let memory = well_formed(parse::statm(&self.text[..length]))?;
        Ok(self.whole(pid, memory))
    }

    /// What a process has, which may be more than its `statm` tells: nothing, once the first thread has ended.
    fn whole(&mut self, pid: u32, memory: Statm) -> Statm {
        if memory.size > 0 {
            return memory;
        }
        let of_thread = |proc: &mut Self, thread| {
            let memory = proc.content(format_args!("{pid}/task/{thread}/statm")).ok().and_then(parse::statm);
            memory.filter(|memory| memory.size > 0)
        };
        self.ask_threads(pid, of_thread).unwrap_or(memory)
    }

    /// Asks the other threads of a process, one after the other, until one knows.
    fn ask_threads<T>(&mut self, pid: u32, ask: impl Fn(&mut Self, u32) -> Option<T>) -> Option<T> {
        let mut threads = std::mem::take(&mut self.threads);
        threads.clear();
        let listed = self.numbers(format_args!("{pid}/task"), &mut threads);
        let others = threads.iter().filter(|thread| listed.is_ok() && **thread != pid);
        let known = others.copied().find_map(|thread| ask(self, thread));
        self.threads = threads;
        known
    }

    pub(crate) fn task(&mut self, pid: u32) -> io::Result<Task> {
        let stat = self.stat_at(format_args!("{pid}/task"))?;
        // A folder with one folder in it has three links: its name, its own `.`, and the `..` of the one inside.
        Ok(Task { inode: stat.st_ino, single: stat.st_nlink == 3 })
    }

    /// Adds the children of a process with a single thread to `found`. Returns whether the kernel tells them at all.
    ///
    /// Half of the files that may be kept open are left to `statm`, which is read more often.
    pub(crate) fn children(&mut self, pid: u32, kept: &mut Option<Kept>, found: &mut Vec<u32>) -> bool {
        let reserve = self.room.half();
        let filled = self.fill_again(format_args!("{pid}/task/{pid}/children"), kept, reserve);
        self.add_children(pid, pid, filled, found)
    }

    /// The same of a process with several threads: a child belongs to the one that made it. `threads` is scratch space.
    pub(crate) fn children_of_threads(&mut self, pid: u32, threads: &mut Vec<u32>, found: &mut Vec<u32>) -> bool {
        threads.clear();
        if self.numbers(format_args!("{pid}/task"), threads).is_err() {
            return true; // It is gone, and so are its children from the tree.
        }
        threads.iter().all(|thread| {
            let filled = self.fill(format_args!("{pid}/task/{thread}/children"));
            self.add_children(pid, *thread, filled, found)
        })
    }

    /// Adds what was read into the buffer. False if the thread is there, and lacks the file.
    fn add_children(&mut self, pid: u32, thread: u32, filled: io::Result<usize>, found: &mut Vec<u32>) -> bool {
        match filled {
            Ok(length) => found.extend(parse::children(&self.text[..length])),
            Err(error) => return !gone(&error) || self.stat_at(format_args!("{pid}/task/{thread}")).is_err(),
        }
        true
    }

    /// Adds the names in a folder that are numbers: processes or threads.
    pub(crate) fn numbers(&mut self, path: fmt::Arguments<'_>, found: &mut Vec<u32>) -> io::Result<()> {
        let folder = self.open_at(path, OFlags::RDONLY | OFlags::DIRECTORY)?;
        let mut entries = RawDir::new(folder, self.entries.spare_capacity_mut());
        while let Some(entry) = entries.next() {
            let number = parse::number(entry?.file_name().to_bytes());
            found.extend(number.and_then(|number| u32::try_from(number).ok()));
        }
        Ok(())
    }
}

/// Whether an error says that there is no such process any more.
pub(crate) fn gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(Errno::SRCH.raw_os_error())
}

fn well_formed<T>(parsed: Option<T>) -> io::Result<T> {
    parsed.ok_or_else(|| io::ErrorKind::InvalidData.into())
}
