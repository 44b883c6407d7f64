use std::{collections::BTreeMap, io};

use super::{Change, Parents, Reading, Share, descent::Descent, member::Member};
use crate::proc::{ProcFs, gone};

/// A process and all processes below it, kept up to date by looking again.
///
/// A process counts once, however it moves while the tree is being looked at, and the threads of a process do not count
/// at all. A process that loses its parent leaves the tree, unless it is given a new parent within it. Processes on
/// other hosts, and those that `/proc` hides, are not seen.
///
/// # Example
///
/// ```
/// # fn main() -> std::io::Result<()> {
/// use gym_telemetry_procfs::{ProcFs, ProcessTree};
///
/// let mut proc = ProcFs::open("/proc")?;
/// let mut tree = ProcessTree::new(&mut proc, std::process::id())?;
/// tree.refresh(&mut proc)?;
/// assert!(tree.pids().contains(&std::process::id()));
/// assert!(tree.measure(&mut proc) > 0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ProcessTree {
    pub(super) root: u32,
    pub(super) started: u64,
    /// Side by side in memory, because all are visited in every sample.
    pub(super) members: BTreeMap<u32, Member>,
    /// The members in the order in which they were found: parents before their children.
    pub(super) order: Vec<u32>,
    pub(super) looks: u64,
    /// Since somebody asked.
    change: Change,
    /// Whether nobody has ended since the last look, as far as is known.
    pub(super) settled: bool,
    pub(super) descent: Descent,
}

impl ProcessTree {
    /// The tree below a process, with nothing but its root in it.
    ///
    /// # Errors
    ///
    /// When there is no such process in sight.
    pub fn new(proc: &mut ProcFs, root: u32) -> io::Result<Self> {
        Ok(Self::of(root, proc.stat(root)?.started))
    }

    /// The tree below the process with this id and this start.
    pub(crate) fn of(root: u32, started: u64) -> Self {
        Self {
            root,
            started,
            members: BTreeMap::new(),
            order: Vec::new(),
            looks: 0,
            change: Change::Shared,
            settled: false,
            descent: Descent::default(),
        }
    }

    /// Looks which processes there are now.
    ///
    /// # Errors
    ///
    /// When the root is gone, even if another process has its id now.
    pub fn refresh(&mut self, proc: &mut ProcFs) -> io::Result<()> {
        self.look(proc, &mut Parents::default())
    }

    /// Reads the memory of each process, and returns the sum of what is resident, in bytes.
    ///
    /// A process that is gone leaves the tree.
    pub fn measure(&mut self, proc: &mut ProcFs) -> u64 {
        let Self { order, members, change, settled, .. } = self;
        let (before, mut pages) = (members.len(), 0_u64);
        members.retain(|pid, member| {
            let Member { statm, reading: Reading { memory, .. }, .. } = member;
            match proc.statm_again(*pid, statm) {
                Ok(now) => {
                    *change = Change::between(*memory, now).max(*change);
                    // It has become a zombie, and its children have gone elsewhere.
                    *settled &= now.size > 0 || memory.size == 0;
                    *memory = now;
                }
                Err(error) if gone(&error) => {
                    (*change, *settled) = (Change::Shared, false);
                    return false;
                }
                Err(_) => {}
            }
            pages = pages.saturating_add(memory.resident);
            true
        });
        if members.len() < before {
            order.retain(|pid| members.contains_key(pid));
        }
        proc.bytes(pages)
    }

    /// The processes, parents before their children.
    #[must_use]
    pub fn pids(&self) -> &[u32] {
        &self.order
    }

    /// Whether nobody has ended since the last look, as far as is known.
    pub(crate) fn settled(&self) -> bool {
        self.settled
    }

    /// What has happened since the last [`take_change`](Self::take_change).
    pub(crate) fn change(&self) -> Change {
        self.change
    }

    pub(crate) fn take_change(&mut self) -> Change {
        std::mem::take(&mut self.change)
    }

    /// One of the processes, by its place in the order, and what was read of it.
    pub(crate) fn reading(&self, index: usize) -> Option<(u32, Reading)> {
        let pid = *self.order.get(index)?;
        Some((pid, self.members.get(&pid)?.reading))
    }

    pub(crate) fn set_share(&mut self, pid: u32, share: Share) {
        if let Some(member) = self.members.get_mut(&pid) {
            member.reading.share = Some(share);
        }
    }

    /// Whether a process belonged to it when somebody looked last.
    pub(crate) fn contains(&self, pid: u32) -> bool {
        self.members.contains_key(&pid)
    }

    /// Like [`refresh`](Self::refresh), with a table of parents that other trees use too.
    pub(crate) fn look(&mut self, proc: &mut ProcFs, parents: &mut Parents) -> io::Result<()> {
        if proc.stat(self.root)?.started != self.started {
            return Err(io::ErrorKind::NotFound.into());
        }
        self.looks += 1;
        self.order.clear();
        self.settled = true;
        self.descend(proc, parents).inspect_err(|_| self.settled = false)?;
        let (before, looks) = (self.members.len(), self.looks);
        self.members.retain(|_, member| member.look == looks);
        if self.members.len() < before {
            self.change = Change::Shared;
        }
        Ok(())
    }

    /// Takes a process in, at most once a look. What is known of it stays, if it is the same process.
    pub(super) fn enter(&mut self, pid: u32, started: u64, inode: u64) {
        let looks = self.looks;
        match self.members.get_mut(&pid) {
            Some(member) if member.look == looks => return,
            Some(member) if member.started == started => (member.inode, member.look) = (inode, looks),
            _ => {
                self.change = Change::Shared;
                let (statm, children, reading) = Default::default();
                self.members.insert(pid, Member { started, inode, look: looks, statm, children, reading });
            }
        }
        self.order.push(pid);
    }
}
