use std::time::{Duration, Instant};

use super::{Budget, Refusal, price::timed};
use crate::{
    parse::Statm,
    proc::{ProcFs, gone},
    tree::{Change, ProcessTree, Reading, Share},
};

/// The proportional memory of one tree, in walks over its processes that last as many samples as the budget asks for.
///
/// A walk reads each process once. It leaves out those of which the last walk's reading is good still: nothing has
/// changed that could change their share.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    /// How many walks there were, with the one under way.
    number: u64,
    /// When the one under way began.
    under_way: Option<Instant>,
    /// Whether it keeps readings of the one before.
    keeps: bool,
    sum: Option<Sum>,
    /// How long the last one took.
    took: Duration,
    /// After a refusal, when to try again.
    again: Option<Instant>,
}

/// What a walk found, and when the oldest reading in it was made.
#[derive(Debug, Clone, Copy)]
struct Sum {
    bytes: u64,
    oldest: Instant,
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
        if self.under_way.is_none() && !self.begin(tree, budget, now) {
            return Ok(None);
        }
        match self.read(proc, tree, budget, now) {
            Ok(None) => return Ok(None),
            Ok(sum) => self.sum = sum,
            Err(refusal) => {
                (self.sum, self.under_way) = (None, None);
                self.again = Some(now + budget.max_age() / 2);
                return Err(refusal);
            }
        }
        self.took = self.under_way.take().map_or(Duration::ZERO, |began| now.saturating_duration_since(began));
        Ok(self.sum.map(|sum| sum.bytes))
    }

    /// The sum of the last walk, and its age; none once it is too old.
    pub(crate) fn fresh(&self, budget: &Budget, now: Instant) -> Option<(u64, Duration)> {
        let Sum { bytes, oldest } = self.sum?;
        let age = now.saturating_duration_since(oldest);
        (age <= budget.max_age()).then_some((bytes, age))
    }

    /// How long before a sum is too old a walk begins that is to renew it: twice as long as the last one took, and from
    /// a quarter to half of the age.
    fn lead(&self, budget: &Budget) -> Duration {
        self.took.saturating_mul(2).clamp(budget.max_age() / 4, budget.max_age() / 2)
    }

    /// Begins a walk, unless it would find what the last one found.
    fn begin(&mut self, tree: &mut ProcessTree, budget: &Budget, now: Instant) -> bool {
        let waits = self.again.is_some_and(|again| now < again);
        let until_renewal = budget.max_age().saturating_sub(self.lead(budget));
        let young = self.sum.is_some_and(|sum| now.saturating_duration_since(sum.oldest) < until_renewal);
        if !budget.ever_open() || waits || young && tree.change() == Change::Nothing {
            return false;
        }
        let change = tree.take_change();
        self.keeps = young && change < Change::Shared;
        self.number += 1;
        self.under_way = Some(now);
        true
    }

    /// Reads who has not been read in this walk; none when the budget ends before they do.
    fn read(
        &self,
        proc: &mut ProcFs,
        tree: &mut ProcessTree,
        budget: &mut Budget,
        now: Instant,
    ) -> Result<Option<Sum>, Refusal> {
        if self.under_way.is_some_and(|began| now.saturating_duration_since(began) > budget.max_age()) {
            return Err(Refusal::TooMany);
        }
        let too_large =
            |(_, process): &(u32, Reading)| self.known(process, now).is_none() && !budget.allows(process, now);
        if let Some((pid, _)) = (0..tree.pids().len()).filter_map(|index| tree.reading(index)).find(too_large) {
            return Err(Refusal::TooLarge { pid });
        }
        let mut sum = Sum { bytes: 0, oldest: now };
        for index in 0..tree.pids().len() {
            let Some((pid, process)) = tree.reading(index) else { continue };
            let share = match self.known(&process, now) {
                Some(share) => share,
                None if !budget.open() => return Ok(None),
                None => match self.read_one(proc, pid, &process, budget, now)? {
                    Some(share) => share,
                    None => continue,
                },
            };
            tree.set_share(pid, share);
            sum.bytes = sum.bytes.saturating_add(share.pss);
            sum.oldest = sum.oldest.min(share.at);
        }
        Ok(Some(sum))
    }

    /// The share of a process that need not be read.
    fn known(&self, process: &Reading, now: Instant) -> Option<Share> {
        if process.memory.size == 0 {
            return Some(self.nothing(now));
        }
        let share = process.share?;
        let good =
            share.walk == self.number || self.keeps && share.walk + 1 == self.number && share.memory == process.memory;
        good.then_some(Share { walk: self.number, ..share })
    }

    /// Reads one process; none when it has ended meanwhile.
    fn read_one(
        &self,
        proc: &mut ProcFs,
        pid: u32,
        process: &Reading,
        budget: &mut Budget,
        now: Instant,
    ) -> Result<Option<Share>, Refusal> {
        let (shares, cost) = timed(|| proc.shares(pid));
        budget.spend(cost, process.memory.resident, now);
        if let Ok(Some(shares)) = shares {
            return Ok(Some(Share { pss: shares.pss, walk: self.number, at: now, memory: process.memory, cost }));
        }
        match proc.statm(pid) {
            Err(error) if gone(&error) => Ok(None),
            Ok(memory) if memory.size == 0 => Ok(Some(self.nothing(now))),
            _ => Err(match shares {
                Err(source) => Refusal::Unreadable { pid, source },
                Ok(_) => Refusal::Empty { pid },
            }),
        }
    }

    /// The share of a process without memory.
    fn nothing(&self, now: Instant) -> Share {
        Share { pss: 0, walk: self.number, at: now, memory: Statm::default(), cost: Duration::ZERO }
    }
}
