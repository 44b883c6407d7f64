use std::time::{Duration, Instant};

use super::{PssBudget, price};
use crate::{
    proc::ProcFs,
    tree::{Reading, Share},
};

/// For how many times the age of a sum a reading tells what others will cost. After that the host may be less busy.
const TELLING_AGES: u32 = 10;

/// A reading of fewer pages says little of what one costs.
const TELLING_PAGES: u64 = 4096;

/// Processor time that readings may use: it grows with time, and may be overdrawn by one reading.
#[derive(Debug)]
pub(crate) struct Budget {
    settings: PssBudget,
    /// Seconds, below zero while overdrawn.
    left: f64,
    most: f64,
    /// What a page is taken to cost until readings of others have shown it.
    page: Duration,
    /// What a page of others has cost at most, and when.
    dearest: Option<(Duration, Instant)>,
}

impl Budget {
    /// A budget for samples of this filesystem at this interval, with the share of one interval in it.
    pub(crate) fn new(settings: PssBudget, interval: Duration, proc: &mut ProcFs) -> Self {
        let most = settings.duty * interval.as_secs_f64();
        Self { settings, left: most, most, page: price::of_page(proc), dearest: None }
    }

    pub(crate) fn max_age(&self) -> Duration {
        self.settings.max_age
    }

    /// Time has passed. What was not used of an interval's share is not saved for later ones.
    pub(crate) fn pass(&mut self, time: Duration) {
        self.left = (self.left + self.settings.duty * time.as_secs_f64()).min(self.most);
    }

    /// Whether there is any left.
    pub(crate) fn open(&self) -> bool {
        self.left > 0.0
    }

    /// Whether there ever will be.
    pub(crate) fn ever_open(&self) -> bool {
        self.settings.duty > 0.0
    }

    /// A reading of so many pages was made.
    pub(crate) fn spend(&mut self, cost: Duration, pages: u64, now: Instant) {
        self.left -= cost.as_secs_f64();
        let page = cost / u32::try_from(pages).unwrap_or(u32::MAX).max(1);
        let dearest = self.dearest.filter(|(_, at)| self.tells(*at, now));
        if pages >= TELLING_PAGES && dearest.is_none_or(|(dearest, _)| page > dearest) {
            self.dearest = Some((page, now));
        }
    }

    /// Whether a reading of a process stays below the ceiling: its last one, and what pages cost for all that came
    /// since.
    pub(crate) fn allows(&self, process: &Reading, now: Instant) -> bool {
        let telling = process.share.filter(|share| self.tells(share.at, now));
        let (pages, cost) = telling.map_or((0, Duration::ZERO), |Share { memory, cost, .. }| (memory.resident, cost));
        let grown = u32::try_from(process.memory.resident.saturating_sub(pages)).unwrap_or(u32::MAX);
        cost.saturating_add(self.page(now).saturating_mul(grown)) <= self.settings.ceiling
    }

    /// What a page costs on this host.
    fn page(&self, now: Instant) -> Duration {
        self.dearest.filter(|(_, at)| self.tells(*at, now)).map_or(self.page, |(page, _)| page.max(price::LEAST))
    }

    /// Whether a reading of then still tells what the next one costs.
    fn tells(&self, then: Instant, now: Instant) -> bool {
        now.saturating_duration_since(then) < self.settings.max_age.saturating_mul(TELLING_AGES)
    }
}
