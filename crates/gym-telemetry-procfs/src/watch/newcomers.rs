use std::{fs, path::Path, process};

use crate::{
    parse,
    proc::{ProcFs, gone},
    tree::ProcessTree,
};

/// So many newcomers are looked at one by one, however few processes are watched.
const MOST: u32 = 256;

/// Who has come since the last sample.
///
/// The kernel numbers processes and threads in turn, so newcomers have the numbers after the one that it gave out last
/// when the last sample began.
#[derive(Debug)]
pub(super) struct Newcomers {
    /// Whether `/proc` numbers processes as the kernel does for this one. That of another namespace does not.
    numbered: bool,
    last: Option<u32>,
    /// The parents of those who have come.
    parents: Vec<u32>,
    /// Whether others may have come too.
    unknown: bool,
}

impl Newcomers {
    pub(super) fn new(root: &Path) -> Self {
        let own = fs::read_link(root.join("proc/self"));
        let numbered = own.is_ok_and(|own| own.as_os_str() == &*process::id().to_string());
        Self { numbered, last: None, parents: Vec::new(), unknown: true }
    }

    /// Finds out who has come since the last call, unless there are more than the processes that are `watched`.
    pub(super) fn look(&mut self, proc: &mut ProcFs, watched: usize) {
        let now = proc.content(format_args!("sys/kernel/ns_last_pid")).ok().and_then(parse::number);
        let now = now.and_then(|number| u32::try_from(number).ok()).filter(|_| self.numbered);
        let last = std::mem::replace(&mut self.last, now);
        self.parents.clear();
        self.unknown = true;
        let Some((last, now)) = last.zip(now) else { return };
        let most = u32::try_from(watched).unwrap_or(u32::MAX).max(MOST);
        // Numbers that have begun anew from the bottom are not followed.
        if now.checked_sub(last).is_none_or(|count| count > most) {
            return;
        }
        self.unknown = false;
        for number in last + 1..=now {
            match proc.stat(number) {
                Ok(stat) => self.parents.push(stat.parent),
                Err(error) => self.unknown |= !gone(&error),
            }
        }
    }

    /// Whether a tree may have grown.
    pub(super) fn may_belong_to(&self, tree: &ProcessTree) -> bool {
        self.unknown || self.parents.iter().any(|parent| tree.contains(*parent))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use tempfile::TempDir;

    use super::*;

    /// A made-up kernel that has given out 100 numbers when it is first looked at, and a tree of process 10 alone.
    struct Fixture {
        root: TempDir,
        proc: ProcFs,
        tree: ProcessTree,
        newcomers: Newcomers,
        watched: usize,
    }

    impl Fixture {
        fn new() -> Self {
            Self::seen_by(&process::id().to_string())
        }

        /// What `self` stands for there.
        fn seen_by(own: &str) -> Self {
            let root = tempfile::tempdir().unwrap();
            fs::create_dir_all(root.path().join("proc/sys/kernel")).unwrap();
            symlink(own, root.path().join("proc/self")).unwrap();
            let proc = ProcFs::open(root.path().join("proc")).unwrap();
            let (tree, newcomers) = (ProcessTree::of(10, 0), Newcomers::new(root.path()));
            let mut fixture = Self { root, proc, tree, newcomers, watched: 0 };
            fixture.process(10, 1);
            fixture.tree.refresh(&mut fixture.proc).unwrap();
            assert!(fixture.look(100), "nothing is known at first");
            fixture
        }

        fn process(&self, pid: u32, parent: u32) {
            let folder = self.root.path().join(format!("proc/{pid}"));
            fs::create_dir_all(folder.join(format!("task/{pid}"))).unwrap();
            fs::write(folder.join("stat"), format!("{pid} (a) S {parent} 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"))
                .unwrap();
            fs::write(folder.join(format!("task/{pid}/children")), "").unwrap();
        }

        /// Whether the tree may have grown once the kernel has given out this number.
        fn look(&mut self, last: u32) -> bool {
            fs::write(self.root.path().join("proc/sys/kernel/ns_last_pid"), format!("{last}\n")).unwrap();
            self.newcomers.look(&mut self.proc, self.watched);
            self.newcomers.may_belong_to(&self.tree)
        }
    }

    #[test]
    fn a_tree_grows_by_children_of_its_own_alone() {
        let mut fixture = Fixture::new();
        assert!(!fixture.look(100), "nobody has come");
        fixture.process(101, 9);
        assert!(!fixture.look(105), "a stranger, and some who are gone");
        fixture.process(105, 10);
        assert!(!fixture.look(105), "only those count who have come since");
        fixture.process(106, 10);
        fixture.process(107, 9);
        assert!(fixture.look(107), "one of several is a child");
        assert!(!fixture.look(107));
    }

    #[test]
    fn whoever_cannot_be_seen_may_be_a_child() {
        let mut fixture = Fixture::new();
        fixture.process(101, 9);
        fs::write(fixture.root.path().join("proc/101/stat"), "junk").unwrap();
        assert!(fixture.look(101));
        assert!(!fixture.look(101 + MOST), "so many are looked at one by one");
        assert!(fixture.look(102 + 2 * MOST), "and more are not");
        fixture.watched = 300;
        assert!(!fixture.look(402 + 2 * MOST), "unless as many are watched");
        assert!(fixture.look(20), "numbers have begun anew");
        fs::remove_file(fixture.root.path().join("proc/sys/kernel/ns_last_pid")).unwrap();
        fixture.newcomers.look(&mut fixture.proc, 0);
        assert!(fixture.newcomers.may_belong_to(&fixture.tree), "a kernel that does not tell the number");
    }

    #[test]
    fn a_folder_with_numbers_of_its_own_tells_nothing() {
        let mut fixture = Fixture::seen_by("1");
        assert!(fixture.look(100));
    }
}
