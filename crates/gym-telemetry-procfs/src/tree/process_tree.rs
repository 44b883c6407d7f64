use std::{collections::HashMap, io};

use super::{Change, Member, Parents, Share};
use crate::{
    parse::Statm,
    proc::{ProcFs, Task, gone},
};

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
    root: u32,
    started: u64,
    members: HashMap<u32, Member>,
    /// The members in the order in which they were found: parents before their children.
    order: Vec<u32>,
    looks: u64,
    /// Whether the kernel tells children.
    tells_children: bool,
    /// Since somebody asked.
    change: Change,
    /// Whether nobody has ended since the last look, as far as is known.
    settled: bool,
    found: Vec<u32>,
    threads: Vec<u32>,
}

impl ProcessTree {
    /// The tree below a process, with nothing but its root in it.
    ///
    /// # Errors
    ///
    /// When there is no such process in sight.
    pub fn new(proc: &mut ProcFs, root: u32) -> io::Result<Self> {
        let started = proc.stat(root)?.started;
        Ok(Self {
            root,
            started,
            members: HashMap::new(),
            order: Vec::new(),
            looks: 0,
            tells_children: true,
            change: Change::Shared,
            settled: false,
            found: Vec::new(),
            threads: Vec::new(),
        })
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
        let mut pages = 0_u64;
        order.retain(|pid| {
            let Some(member) = members.get_mut(pid) else { return false };
            match proc.statm(*pid) {
                Ok(now) => {
                    *change = Change::between(member.memory, now).max(*change);
                    // It has become a zombie, and its children have gone elsewhere.
                    *settled &= now.size > 0 || member.memory.size == 0;
                    member.memory = now;
                }
                Err(error) if gone(&error) => {
                    members.remove(pid);
                    (*change, *settled) = (Change::Shared, false);
                    return false;
                }
                Err(_) => {}
            }
            pages = pages.saturating_add(member.memory.resident);
            true
        });
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

    /// One of the processes, by its place in the order, with what is known of it.
    pub(crate) fn member(&self, index: usize) -> Option<(u32, Member)> {
        let pid = *self.order.get(index)?;
        Some((pid, *self.members.get(&pid)?))
    }

    pub(crate) fn set_share(&mut self, pid: u32, share: Share) {
        if let Some(member) = self.members.get_mut(&pid) {
            member.share = Some(share);
        }
    }

    /// Like [`refresh`](Self::refresh), with a table of parents that other trees use too.
    pub(crate) fn look(&mut self, proc: &mut ProcFs, parents: &mut Parents) -> io::Result<()> {
        if proc.stat(self.root)?.started != self.started {
            return Err(io::ErrorKind::NotFound.into());
        }
        let task = proc.task(self.root)?;
        self.looks += 1;
        self.order.clear();
        self.settled = true;
        self.enter(self.root, self.started, task);
        if self.tells_children {
            self.tells_children = self.follow_children(proc);
        }
        if !self.tells_children {
            parents.read(proc)?;
            self.follow_parents(parents);
        }
        let (before, looks) = (self.members.len(), self.looks);
        self.members.retain(|_, member| member.look == looks);
        if self.members.len() < before {
            self.change = Change::Shared;
        }
        Ok(())
    }

    /// Goes down from the root by what each thread says of its children; false where the kernel does not tell.
    fn follow_children(&mut self, proc: &mut ProcFs) -> bool {
        let mut next = 0;
        loop {
            while let Some(&parent) = self.order.get(next) {
                next += 1;
                let Some(&Member { single, started, .. }) = self.members.get(&parent) else { continue };
                if !proc.children(parent, single, &mut self.threads, &mut self.found) {
                    self.found.clear();
                    return false;
                }
                while let Some(child) = self.found.pop() {
                    self.admit(proc, child, parent, started);
                }
            }
            if !self.admit_overlooked(proc) {
                return true;
            }
        }
    }

    /// Goes down from the root by what each process says of its parent.
    fn follow_parents(&mut self, parents: &Parents) {
        let mut next = 0;
        while let Some(&parent) = self.order.get(next) {
            next += 1;
            let Some(&Member { started, .. }) = self.members.get(&parent) else { continue };
            for (child, started) in parents.children(parent, started) {
                self.enter(child, started, Task { inode: 0, single: false });
            }
        }
    }

    /// Takes in a child that its parent named, if it is one still.
    fn admit(&mut self, proc: &mut ProcFs, child: u32, parent: u32, parent_started: u64) {
        if self.seen(child) {
            return;
        }
        let Ok(task) = proc.task(child) else { return };
        let known = self.members.get(&child).filter(|member| member.inode == task.inode);
        if let Some(&Member { started, .. }) = known {
            return self.enter(child, started, task);
        }
        let Ok(stat) = proc.stat(child) else { return };
        if stat.parent == parent && stat.started >= parent_started {
            self.enter(child, stat.started, task);
        }
    }

    /// Takes in members that no list named although they are there: a list lacks an entry when another child ends while
    /// the kernel writes it.
    fn admit_overlooked(&mut self, proc: &mut ProcFs) -> bool {
        let before = self.order.len();
        let Self { members, looks, found, .. } = self;
        found.extend(members.iter().filter(|(_, member)| member.look != *looks).map(|(pid, _)| *pid));
        while let Some(pid) = self.found.pop() {
            let Ok(stat) = proc.stat(pid) else { continue };
            let known = self.members.get(&pid).is_some_and(|member| member.started == stat.started);
            let parent = self.members.get(&stat.parent).filter(|parent| parent.look == self.looks);
            if let (true, Some(&Member { started, .. })) = (known, parent) {
                self.admit(proc, pid, stat.parent, started);
            }
        }
        self.order.len() > before
    }

    /// Takes a process in, at most once a look. What is known of it stays, if it is the same process.
    fn enter(&mut self, pid: u32, started: u64, task: Task) {
        if self.seen(pid) {
            return;
        }
        let Task { inode, single } = task;
        let known = self.members.get(&pid).filter(|member| member.started == started);
        if known.is_none() {
            self.change = Change::Shared;
        }
        let (memory, share) = known.map_or((Statm::default(), None), |known| (known.memory, known.share));
        self.members.insert(pid, Member { started, inode, single, look: self.looks, memory, share });
        self.order.push(pid);
    }

    /// Whether this look has met a process with this id.
    fn seen(&self, pid: u32) -> bool {
        self.members.get(&pid).is_some_and(|member| member.look == self.looks)
    }
}
