use std::time::Duration;

/// What reading proportional memory (PSS) may cost.
///
/// The kernel makes PSS by visiting every page of a process, and while it does nothing new can be mapped there. So a
/// reading costs milliseconds for each gibibyte, to the sampler and to the process it looks at.
///
/// A server's PSS is the sum of one walk over its processes. A walk that the budget cuts short goes on with the next
/// sample, and takes in who has come meanwhile. Nothing is read again while no process of the server has changed.
///
/// # Example
///
/// ```
/// use std::time::Duration;
///
/// use gym_telemetry_procfs::PssBudget;
///
/// let generous = PssBudget::default().duty(0.05).ceiling(Duration::from_millis(500));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use = "a budget does nothing until a watch is given it"]
pub struct PssBudget {
    pub(crate) duty: f64,
    pub(crate) ceiling: Duration,
    pub(crate) max_age: Duration,
}

impl PssBudget {
    /// The share of one core that all readings together may use: 0.01 by default, from 0 (none are made) to 1.
    pub fn duty(mut self, duty: f64) -> Self {
        self.duty = duty;
        self
    }

    /// The longest that one reading may take: 50 ms by default.
    ///
    /// How long a reading will take is estimated: by what the last one of the process took, and for what it has got
    /// since by what pages cost in the readings of others, or, before there are any, in one of the sampler itself; 5 ms
    /// a gibibyte at least. A process beyond the ceiling is not read, and its server is reported with RSS alone, which
    /// is said in the log once. Should a reading turn out to take too long, the process is tried again after ten times
    /// the [age](Self::max_age).
    ///
    /// So by default a process may have some gigabytes, 9 at most, on slow machines less: `cargo xtask bench memory`
    /// shows what it is on the machine at hand. One with huge pages takes less and is known by that once it was read.
    pub fn ceiling(mut self, ceiling: Duration) -> Self {
        self.ceiling = ceiling;
        self
    }

    /// How old a sum may be and still be reported: a minute by default. At three quarters of it, or at half where it
    /// takes long, everything is read anew even if nothing has changed.
    pub fn max_age(mut self, max_age: Duration) -> Self {
        self.max_age = max_age;
        self
    }
}

impl Default for PssBudget {
    fn default() -> Self {
        Self { duty: 0.01, ceiling: Duration::from_millis(50), max_age: Duration::from_secs(60) }
    }
}
