use std::{
    io,
    time::{Duration, Instant},
};

use rustix::time::{ClockId, clock_gettime};

use super::Budget;
use crate::{
    proc::{ProcFs, gone},
    tree::{Member, ProcessTree, Share},
};

/// The proportional memory of one tree: each process read once a walk, over as many samples as the budget asks for.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    /// Of the walk under way, or the last one.
    number: u64,
    under_way: Option<Instant>,
    sum: Option<Sum>,
    /// After a refusal, not before then.
    again: Option<Instant>,
}

/// What a walk found, and when it began: no reading in it is older.
#[derive(Debug, Clone, Copy)]
struct Sum {
    bytes: u64,
    began: Instant,
}

/// Why there is no proportional memory of a tree.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("smaps_rollup of process {pid} cannot be read")]
    Unreadable { pid: u32, source: io::Error },
    #[error("smaps_rollup of process {pid} says nothing")]
    Empty { pid: u32 },
    #[error("reading smaps_rollup of process {pid} would take longer than the ceiling allows")]
    TooLarge { pid: u32 },
    #[error("reading all processes takes longer than a reading stays fresh")]
    TooMany,
}

impl Walk {
    /// Goes on with the walk as far as the budget reaches, or begins one where there is anything new to find.
    ///
    /// Returns the sum when the walk has come to its end.
    pub(crate) fn go_on(
        &mut self,
        proc: &mut ProcFs,
        tree: &mut ProcessTree,
        budget: &mut Budget,
        now: Instant,
    ) -> Result<Option<u64>, Refusal> {
        if self.under_way.is_none() && self.is_due(tree, budget, now) {
            tree.take_changed();
            self.number += 1;
            self.under_way = Some(now);
        }
        let Some(began) = self.under_way else { return Ok(None) };
        let outcome = match now.saturating_duration_since(began) > budget.max_age() {
            true => Err(Refusal::TooMany),
            false => self.read(proc, tree, budget),
        };
        match outcome {
            Ok(None) => return Ok(None),
            Ok(Some(bytes)) => self.sum = Some(Sum { bytes, began }),
            Err(_) => {
                self.sum = None;
                self.again = Some(now + budget.max_age() / 2);
            }
        }
        self.under_way = None;
        outcome
    }

    /// The sum of the last walk, and its age; none once it is too old.
    pub(crate) fn fresh(&self, budget: &Budget, now: Instant) -> Option<(u64, Duration)> {
        let Sum { bytes, began } = self.sum?;
        let age = now.saturating_duration_since(began);
        (age <= budget.max_age()).then_some((bytes, age))
    }

    fn is_due(&self, tree: &ProcessTree, budget: &Budget, now: Instant) -> bool {
        if !budget.ever_open() || self.again.is_some_and(|again| now < again) {
            return false;
        }
        let old = |sum: Sum| now.saturating_duration_since(sum.began) >= budget.max_age() / 2;
        tree.changed() || self.sum.is_none_or(old)
    }

    /// Reads who has not been read in this walk; none when the budget ends before they do.
    fn read(&self, proc: &mut ProcFs, tree: &mut ProcessTree, budget: &mut Budget) -> Result<Option<u64>, Refusal> {
        let mut sum = 0_u64;
        for index in 0..tree.pids().len() {
            let Some((pid, member)) = tree.member(index) else { continue };
            let share = if member.share.walk == self.number {
                Some(member.share)
            } else if member.memory.size == 0 {
                Some(Share { walk: self.number, ..Share::default() })
            } else if !budget.open() {
                return Ok(None);
            } else {
                self.read_one(proc, pid, &member, budget)?
            };
            if let Some(share) = share {
                tree.set_share(pid, share);
                sum = sum.saturating_add(share.pss);
            }
        }
        Ok(Some(sum))
    }

    /// Reads one process; none when it has ended meanwhile.
    fn read_one(
        &self,
        proc: &mut ProcFs,
        pid: u32,
        member: &Member,
        budget: &mut Budget,
    ) -> Result<Option<Share>, Refusal> {
        if !budget.allows(member) {
            return Err(Refusal::TooLarge { pid });
        }
        let before = processor_time();
        let shares = proc.shares(pid);
        let cost = processor_time().saturating_sub(before);
        budget.spend(cost);
        if let Ok(Some(shares)) = shares {
            let pages = member.memory.resident;
            return Ok(Some(Share { walk: self.number, pss: shares.pss, pages, cost }));
        }
        match proc.statm(pid) {
            Err(error) if gone(&error) => Ok(None),
            Ok(statm) if statm.size == 0 => Ok(Some(Share { walk: self.number, ..Share::default() })),
            _ => Err(match shares {
                Err(source) => Refusal::Unreadable { pid, source },
                Ok(_) => Refusal::Empty { pid },
            }),
        }
    }
}

/// What this thread has used of a processor.
fn processor_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}
