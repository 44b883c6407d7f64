use std::time::Duration;

use super::PssBudget;
use crate::tree::Reading;

/// What a page is taken to cost until readings have shown that it costs more: 5 ms for a gibibyte of small pages.
const PAGE: Duration = Duration::from_nanos(20);

/// A reading of fewer pages says little of what one costs.
const TELLING: u64 = 4096;

/// Processor time that readings may use: it grows with time, and may be overdrawn by one reading.
#[derive(Debug)]
pub(crate) struct Budget {
    settings: PssBudget,
    /// Seconds, below zero while overdrawn.
    left: f64,
    most: f64,
    /// What a page costs on this host.
    page: Duration,
}

impl Budget {
    /// A budget for samples at this interval, with the share of one interval in it.
    pub(crate) fn new(settings: PssBudget, interval: Duration) -> Self {
        let most = settings.duty * interval.as_secs_f64();
        Self { settings, left: most, most, page: PAGE }
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
    pub(crate) fn spend(&mut self, cost: Duration, pages: u64) {
        self.left -= cost.as_secs_f64();
        if pages >= TELLING {
            let page = cost / u32::try_from(pages).unwrap_or(u32::MAX);
            // What is dear is believed at once, what is cheap only in time.
            self.page = page.max((self.page * 7 + page) / 8).max(PAGE);
        }
    }

    /// Whether a reading of a process stays below the ceiling: its last one, and what pages cost for all that came
    /// since.
    pub(crate) fn allows(&self, process: &Reading) -> bool {
        let (pages, cost) = process.share.map_or((0, Duration::ZERO), |share| (share.memory.resident, share.cost));
        let grown = u32::try_from(process.memory.resident.saturating_sub(pages)).unwrap_or(u32::MAX);
        cost.saturating_add(self.page.saturating_mul(grown)) <= self.settings.ceiling
    }
}
