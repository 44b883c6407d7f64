use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use gym_telemetry_core::MemoryMetrics;

use super::{MemoryWatch, sampler::Sampler};
use crate::PssBudget;

/// What to watch, how often, and at what cost.
#[derive(Debug)]
#[must_use = "nothing is watched until it is started"]
pub struct MemoryWatchBuilder {
    metrics: MemoryMetrics,
    interval: Duration,
    budget: PssBudget,
    keep_peaks: bool,
    root: PathBuf,
    servers: Vec<(String, String, u32)>,
}

/// Why a watch did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WatchError {
    /// The interval is zero.
    #[error("the interval between two samples of memory must be longer than zero")]
    Interval,
    /// The share of a core for readings of PSS is no share.
    #[error("the share of a core for readings of PSS must lie between 0 and 1, not at {0}")]
    Duty(f64),
    /// There is no proc filesystem.
    #[error("no proc filesystem at {path}")]
    Proc {
        /// Where it was looked for.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The thread that samples was not to be had.
    #[error("no thread for samples of memory")]
    Thread(#[source] io::Error),
}

impl MemoryWatchBuilder {
    pub(super) fn new(metrics: MemoryMetrics) -> Self {
        Self {
            metrics,
            interval: Duration::from_secs(1),
            budget: PssBudget::default(),
            keep_peaks: false,
            root: PathBuf::from("/"),
            servers: Vec::new(),
        }
    }

    /// The time between two samples: a second by default.
    pub fn interval(mut self, interval: Duration) -> Self {
        self.interval = interval;
        self
    }

    /// What reading PSS may cost.
    pub fn pss(mut self, budget: PssBudget) -> Self {
        self.budget = budget;
        self
    }

    /// Lets a server that is started again under the same name keep its peaks. By default it begins anew.
    pub fn keep_peaks(mut self) -> Self {
        self.keep_peaks = true;
        self
    }

    /// A folder to take for the root of the file system: `proc` and the mounts of control groups are looked for below
    /// it.
    pub fn root(mut self, folder: impl AsRef<Path>) -> Self {
        folder.as_ref().clone_into(&mut self.root);
        self
    }

    /// Watches a server: the process that has this id when the watch starts, and all below it.
    pub fn watch(mut self, name: impl Into<String>, server_type: impl Into<String>, pid: u32) -> Self {
        self.servers.push((name.into(), server_type.into(), pid));
        self
    }

    /// Starts the watch, with a first sample at once.
    ///
    /// # Errors
    ///
    /// When a setting makes no sense, when there is no proc filesystem, or no thread to be had.
    pub fn start(self) -> Result<MemoryWatch, WatchError> {
        let Self { metrics, interval, budget, keep_peaks, root, servers } = self;
        if interval.is_zero() {
            return Err(WatchError::Interval);
        }
        if !(0.0..=1.0).contains(&budget.duty) {
            return Err(WatchError::Duty(budget.duty));
        }
        let path = root.join("proc");
        let sampler = Sampler::new(metrics.clone(), &root, interval, budget, keep_peaks);
        let sampler = sampler.map_err(|source| WatchError::Proc { path: path.clone(), source })?;
        let watch = MemoryWatch::new(metrics, path, sampler, interval);
        for (name, server_type, pid) in servers {
            watch.watch(name, server_type, pid);
        }
        watch.start()?;
        Ok(watch)
    }
}
