use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use gym_telemetry_core::ServerMemory;

use super::{newcomers::Newcomers, target::Target};
use crate::{
    proc::{ProcFs, gone},
    pss::{Budget, Refusal, Walk},
    tree::{Parents, ProcessTree},
};

/// How long a look at who belongs to a server is good, if nothing speaks against it.
const FULL_LOOK: Duration = Duration::from_secs(300);

/// A server that is watched.
#[derive(Debug)]
pub(super) struct Server {
    tree: ProcessTree,
    walk: Walk,
    seen: ServerMemory,
    /// When the processes were last looked for.
    looked: Option<Instant>,
    /// Whether it has been said why there is no proportional memory.
    refused: bool,
}

impl Server {
    pub(super) fn new(target: &Target) -> Self {
        Self {
            tree: ProcessTree::of(target.pid, target.started),
            walk: Walk::default(),
            seen: ServerMemory::new(&*target.name, &*target.server_type, target.pid),
            looked: None,
            refused: false,
        }
    }

    pub(super) fn name(&self) -> &Arc<str> {
        &self.seen.name
    }

    /// How many processes it had when somebody looked last.
    pub(super) fn processes(&self) -> usize {
        self.tree.pids().len()
    }

    /// What the last sample found.
    pub(super) fn seen(&self) -> &ServerMemory {
        &self.seen
    }

    /// Takes over the peaks of an earlier server.
    pub(super) fn inherit(&mut self, earlier: &Peaks) {
        (self.seen.rss.peak, self.seen.pss.peak) = (earlier.rss, earlier.pss);
    }

    pub(super) fn peaks(&self) -> Peaks {
        Peaks { rss: self.seen.rss.peak, pss: self.seen.pss.peak }
    }

    /// Looks at processes and resident memory; false when the server has ended.
    ///
    /// Where nobody can have come, only the memory is read. All the same, a full look comes now and then, because
    /// numbers of processes could in theory run once around within an interval.
    pub(super) fn look(
        &mut self,
        proc: &mut ProcFs,
        parents: &mut Parents,
        newcomers: &Newcomers,
        now: Instant,
    ) -> bool {
        let recent = self.looked.is_some_and(|looked| now.saturating_duration_since(looked) < FULL_LOOK);
        if recent && self.tree.settled() && !newcomers.may_belong_to(&self.tree) {
            self.measure(proc);
            if self.tree.settled() {
                return true;
            }
        }
        match self.tree.look(proc, parents) {
            Ok(()) => self.looked = Some(now),
            Err(error) if gone(&error) => return false,
            // For want of open files, say: what is known stands.
            Err(_) => return true,
        }
        self.measure(proc);
        self.tree.contains(self.seen.pid)
    }

    /// Reads what is resident, and who still runs.
    fn measure(&mut self, proc: &mut ProcFs) {
        let rss = self.tree.measure(proc);
        self.seen.rss.see(Some(rss));
        self.seen.processes = u64::try_from(self.processes()).unwrap_or(u64::MAX);
    }

    /// Reads proportional memory as far as the budget reaches.
    pub(super) fn read_pss(&mut self, proc: &mut ProcFs, budget: &mut Budget, now: Instant) {
        match self.walk.go_on(proc, &mut self.tree, budget, now) {
            Ok(Some(sum)) => self.seen.pss.see(Some(sum)),
            Ok(None) => {}
            Err(refusal) => self.say_once(&refusal),
        }
        let fresh = self.walk.fresh(budget, now);
        self.seen.pss.see(fresh.map(|(bytes, _)| bytes));
        self.seen.pss_age = fresh.map(|(_, age)| age);
    }

    /// Says why there is no proportional memory, the first time.
    fn say_once(&mut self, refusal: &Refusal) {
        if !std::mem::replace(&mut self.refused, true) {
            let error = refusal as &dyn std::error::Error;
            tracing::warn!(target: "gym_telemetry", server = &*self.seen.name, error, "no PSS of a server, only RSS");
        }
    }
}

/// The most that was seen of a server.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peaks {
    rss: Option<u64>,
    pss: Option<u64>,
}

/// Peaks of servers that ended, by name.
pub(super) type KeptPeaks = HashMap<Arc<str>, Peaks>;
