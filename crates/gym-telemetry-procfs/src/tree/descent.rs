use std::io;

use super::{Parents, ProcessTree, member::Member};
use crate::proc::{ProcFs, Task};

/// What the way down a tree takes.
#[derive(Debug, Default)]
pub(super) struct Descent {
    /// Whether the kernel does not tell the children of a thread.
    silent: bool,
    /// Who is to be looked at.
    waiting: Vec<Candidate>,
    /// Scratch space for ids of children and of threads.
    children: Vec<u32>,
    threads: Vec<u32>,
}

/// Somebody who may be a process of the tree.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    pid: u32,
    parent: u32,
    parent_started: u64,
}

impl ProcessTree {
    /// Finds everybody from the root down.
    pub(super) fn descend(&mut self, proc: &mut ProcFs, parents: &mut Parents) -> io::Result<()> {
        if !self.descent.silent {
            self.descent.silent = !self.follow_children(proc)?;
        }
        if self.descent.silent {
            parents.read(proc)?;
            self.follow_parents(parents);
        }
        Ok(())
    }

    /// Goes by what each thread says of its children; false where the kernel does not tell.
    fn follow_children(&mut self, proc: &mut ProcFs) -> io::Result<bool> {
        let task = proc.task(self.root)?;
        self.descent.waiting.clear();
        self.enter(self.root, self.started, task.inode);
        if !self.name_children(proc, self.root, self.started, task) {
            return Ok(false);
        }
        let mut found = 0;
        loop {
            // One process at a time, because the kernel has at hand what it was just asked about.
            while let Some(candidate) = self.descent.waiting.pop() {
                if let Some((started, task)) = self.admit(proc, candidate)
                    && !self.name_children(proc, candidate.pid, started, task)
                {
                    return Ok(false);
                }
            }
            // Again, as long as there are more: the overlooked have children too.
            if self.order.len() == found || !self.name_overlooked(proc) {
                return Ok(true);
            }
            found = self.order.len();
        }
    }

    /// Takes in a candidate, if its parent is still what it was said to be. Returns when it started, and its threads.
    fn admit(&mut self, proc: &mut ProcFs, candidate: Candidate) -> Option<(u64, Task)> {
        let Candidate { pid, parent, parent_started } = candidate;
        let known = self.members.get_mut(&pid);
        if known.as_ref().is_some_and(|member| member.look == self.looks) {
            return None;
        }
        let task = proc.task(pid).ok()?;
        if let Some(member) = known.filter(|member| member.inode == task.inode) {
            member.look = self.looks;
            self.order.push(pid);
            return Some((member.started, task));
        }
        let stat = proc.stat(pid).ok()?;
        if stat.parent != parent || stat.started < parent_started {
            return None;
        }
        self.enter(pid, stat.started, task.inode);
        Some((stat.started, task))
    }

    /// Makes candidates of the children of a process; false where the kernel does not tell them.
    fn name_children(&mut self, proc: &mut ProcFs, parent: u32, parent_started: u64, task: Task) -> bool {
        let Self { members, settled, descent: Descent { waiting, children, threads, .. }, .. } = self;
        // Whoever has children to name was taken in before.
        let Some(member) = members.get_mut(&parent) else { return true };
        let told = if task.single {
            proc.children(parent, &mut member.children, children)
        } else {
            member.children = None;
            proc.children_of_threads(parent, threads, children)
        };
        *settled &= children.is_empty() || member.may_be_settled();
        waiting.extend(children.drain(..).map(|pid| Candidate { pid, parent, parent_started }));
        told
    }

    /// Makes candidates of members that nobody named although they are there: a list lacks an entry when another child
    /// ends while the kernel writes it.
    fn name_overlooked(&mut self, proc: &mut ProcFs) -> bool {
        let Self { members, looks, descent, .. } = self;
        for (&pid, member) in members.iter().filter(|(_, member)| member.look != *looks) {
            let stat = proc.stat(pid).ok().filter(|stat| stat.started == member.started);
            let parent = stat.and_then(|stat| Some((stat.parent, members.get(&stat.parent)?)));
            if let Some((parent, found)) = parent.filter(|(_, found)| found.look == *looks) {
                descent.waiting.push(Candidate { pid, parent, parent_started: found.started });
            }
        }
        !descent.waiting.is_empty()
    }

    /// Goes by what each process says of its parent.
    fn follow_parents(&mut self, parents: &Parents) {
        // No folder has this number, so that nobody is known by it.
        const NO_INODE: u64 = 0;
        self.enter(self.root, self.started, NO_INODE);
        let mut next = 0;
        while let Some(&parent) = self.order.get(next) {
            next += 1;
            let Some(started) = self.members.get(&parent).map(|member| member.started) else { continue };
            for (child, started) in parents.children(parent, started) {
                self.enter(child, started, NO_INODE);
                self.settled &= self.members.get(&parent).is_none_or(Member::may_be_settled);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn children_are_found_by_their_parents_too() {
        let mut child = Command::new("sleep").arg("1000").spawn().unwrap();
        let mut proc = ProcFs::open("/proc").unwrap();
        for silent in [false, true] {
            let mut tree = ProcessTree::new(&mut proc, std::process::id()).unwrap();
            tree.descent.silent = silent;
            tree.refresh(&mut proc).unwrap();
            assert!(tree.pids().contains(&child.id()), "silent: {silent}");
            assert!(tree.measure(&mut proc) > proc.rss(child.id()).unwrap());
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
