use super::{CapacityError, CapacityReport, system::System};
use crate::Limits;

/// The limits of all workers together, and the calls that are intended.
///
/// # Example
///
/// ```
/// use gym_telemetry_hyper::{Capacity, Limits};
///
/// let all = Capacity::new(Limits::new().total(400).per_host(100)).workers(4).intended(Limits::new().total(1_000));
/// let report = all.check()?;
/// assert_eq!(report.limits(), Limits::new().total(100).per_host(25));
/// report.announce();
/// # Ok::<_, gym_telemetry_hyper::CapacityError>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[must_use = "nothing is said until it is checked"]
pub struct Capacity {
    pub(super) limits: Limits,
    pub(super) workers: usize,
    pub(super) intended: Limits,
}

impl Capacity {
    /// Limits that hold over all workers.
    pub fn new(limits: Limits) -> Self {
        Self { limits, workers: 1, intended: Limits::new() }
    }

    /// How many processes share them; the default is one.
    pub fn workers(mut self, workers: usize) -> Self {
        self.workers = workers.max(1);
        self
    }

    /// How many calls are meant to be under way at once, over all workers: in total, and to one host. 0 says that it is
    /// not known.
    pub fn intended(mut self, calls: Limits) -> Self {
        self.intended = calls;
        self
    }

    /// Divides the limits among the workers, and looks whether the intended calls fit.
    ///
    /// # Errors
    ///
    /// When a limit leaves nothing for each worker.
    pub fn check(self) -> Result<CapacityReport, CapacityError> {
        self.check_on(System::read())
    }

    pub(super) fn check_on(self, system: System) -> Result<CapacityReport, CapacityError> {
        let Self { limits, workers, .. } = self;
        let (total, per_host) = limits.get();
        if (1..workers).contains(&total) {
            return Err(CapacityError::Total { limit: total, workers });
        }
        if (1..workers).contains(&per_host) {
            return Err(CapacityError::PerHost { limit: per_host, workers });
        }
        Ok(CapacityReport::new(self, Limits::new().total(total / workers).per_host(per_host / workers), system))
    }
}
