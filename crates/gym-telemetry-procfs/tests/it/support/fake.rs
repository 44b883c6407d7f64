use std::{fs, path::Path};

use tempfile::TempDir;

/// The size of a page here, which `statm` counts in.
pub(crate) fn page() -> u64 {
    u64::try_from(rustix::param::page_size()).unwrap()
}

/// A made-up root of the file system.
pub(crate) struct Root(TempDir);

/// A made-up process: one thread, started at tick 100, 10 pages mapped and resident, half of them its share.
pub(crate) struct Process<'a> {
    root: &'a Root,
    pid: u32,
}

impl Root {
    /// With an empty `proc` in it.
    pub(crate) fn new() -> Self {
        // In memory, where there is such a place: some tests write many thousand files.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        let root = Self(folder.unwrap());
        fs::create_dir(root.path().join("proc")).unwrap();
        root
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file, and makes the folders above it.
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn remove(&self, path: &str) {
        let path = self.path().join(path);
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
    }

    /// Adds a process, or puts it in the place of another one with its id.
    pub(crate) fn process(&self, pid: u32, parent: u32) -> Process<'_> {
        // Moved aside until the new one is there, so that both are never the same folder.
        let (folder, aside) = (self.path().join(format!("proc/{pid}")), self.path().join("aside"));
        let replaces = fs::rename(&folder, &aside).is_ok();
        let process = Process { root: self, pid };
        let process = process.stat(b"server", parent, 100).statm(10, 10).shares(10 * page(), 5 * page()).children(&[]);
        if replaces {
            fs::remove_dir_all(aside).unwrap();
        }
        process
    }
}

impl Process<'_> {
    pub(crate) fn file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        self.root.write(&format!("proc/{}/{name}", self.pid), content);
        self
    }

    pub(crate) fn without(self, name: &str) -> Self {
        self.root.remove(&format!("proc/{}/{name}", self.pid));
        self
    }

    pub(crate) fn stat(self, name: &[u8], parent: u32, started: u64) -> Self {
        let mut text = format!("{} (", self.pid).into_bytes();
        text.extend(name);
        text.extend(format!(") S {parent} 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 {started} 4096 1 0\n").bytes());
        self.file("stat", text)
    }

    pub(crate) fn started(self, parent: u32, started: u64) -> Self {
        self.stat(b"server", parent, started)
    }

    /// Pages mapped and pages resident.
    pub(crate) fn statm(self, size: u64, resident: u64) -> Self {
        self.file("statm", format!("{size} {resident} 1 1 0 1 0\n"))
    }

    /// Bytes resident, and what of them is its share.
    pub(crate) fn shares(self, rss: u64, pss: u64) -> Self {
        let text =
            format!("00400000-ffff ---p 00000000 00:00 0  [rollup]\nRss: {} kB\nPss: {} kB\n", rss / 1024, pss / 1024);
        self.file("smaps_rollup", text)
    }

    /// The children of the main thread.
    pub(crate) fn children(self, children: &[u32]) -> Self {
        let pid = self.pid;
        self.thread(pid, children)
    }

    /// One more thread, with its children.
    pub(crate) fn thread(self, thread: u32, children: &[u32]) -> Self {
        let text: String = children.iter().map(|child| format!("{child} ")).collect();
        self.file(&format!("task/{thread}/children"), text)
    }
}
