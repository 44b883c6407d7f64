use std::{
    collections::BTreeSet,
    fmt,
    sync::{Mutex, PoisonError},
};

use super::{Capacity, CapacityWarning, system::System};
use crate::Limits;

/// The lines that this process has written: once is once for whoever reads its log.
static ANNOUNCED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// The limits of one worker, and whether the intended calls fit. It is displayed in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "nobody sees it until it is announced or displayed"]
pub struct CapacityReport {
    workers: usize,
    limits: Limits,
    intended: Limits,
    system: System,
    warnings: Vec<CapacityWarning>,
}

impl CapacityReport {
    pub(super) fn new(capacity: Capacity, limits: Limits, system: System) -> Self {
        let Capacity { workers, intended, .. } = capacity;
        let mut report = Self { workers, limits, intended, system, warnings: Vec::new() };
        report.warnings = report.find_warnings().into_iter().flatten().collect();
        report
    }

    /// The limits of each worker, for its client.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The ways in which the intended calls do not fit.
    #[must_use]
    pub fn warnings(&self) -> &[CapacityWarning] {
        &self.warnings
    }

    /// Writes the line to the log, unless this process has done so before: as a warning if there is any.
    pub fn announce(&self) {
        let line = self.to_string();
        if !ANNOUNCED.lock().unwrap_or_else(PoisonError::into_inner).insert(line.clone()) {
            return;
        }
        if self.warnings.is_empty() {
            tracing::info!(target: "gym_telemetry", "{line}");
        } else {
            tracing::warn!(target: "gym_telemetry", "{line}");
        }
    }

    fn find_warnings(&self) -> [Option<CapacityWarning>; 4] {
        let workers = self.workers as u64;
        let (total, per_host) = known(self.limits);
        let (all_hosts, one_host) = known(self.intended);
        // The calls to one host are some of those to all.
        let calls = all_hosts.max(one_host);
        let of_all = |limit: Option<u64>| limit.map(|limit| limit.saturating_mul(workers));

        let sockets = least([total, calls.map(|calls| calls.div_ceil(workers))]);
        let sockets_to_one = least([of_all(total), of_all(per_host), one_host.or(all_hosts)]);
        [
            excess(calls, of_all(total)).map(|(intended, allowed)| CapacityWarning::Total { intended, allowed }),
            excess(one_host, of_all(per_host))
                .map(|(intended, allowed)| CapacityWarning::PerHost { intended, allowed }),
            excess(sockets, self.system.descriptors)
                .map(|(sockets, limit)| CapacityWarning::Descriptors { sockets, limit }),
            excess(sockets_to_one, self.system.ports).map(|(sockets, ports)| CapacityWarning::Ports { sockets, ports }),
        ]
    }
}

/// Two numbers, where they are not 0.
fn known(limits: Limits) -> (Option<u64>, Option<u64>) {
    let known = |number: usize| (number > 0).then_some(number as u64);
    let (total, per_host) = limits.get();
    (known(total), known(per_host))
}

/// The least of those that are known.
fn least<const N: usize>(numbers: [Option<u64>; N]) -> Option<u64> {
    numbers.into_iter().flatten().min()
}

/// Two numbers that are known, if the first is the larger.
fn excess(wanted: Option<u64>, there: Option<u64>) -> Option<(u64, u64)> {
    wanted.zip(there).filter(|(wanted, there)| wanted > there)
}

impl fmt::Display for CapacityReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or =
            |number: Option<u64>, otherwise: &str| number.map_or(otherwise.to_owned(), |number| number.to_string());
        let ((total, per_host), (calls, calls_per_host)) = (known(self.limits), known(self.intended));
        let fields = [
            ("workers", self.workers.to_string()),
            ("total", or(total, "unlimited")),
            ("per_host", or(per_host, "unlimited")),
            ("intended", or(calls, "unknown")),
            ("intended_per_host", or(calls_per_host, "unknown")),
            ("file_descriptors", or(self.system.descriptors, "unlimited")),
            ("ephemeral_ports", or(self.system.ports, "unknown")),
        ];
        f.write_str("HTTP connections:")?;
        fields.iter().try_for_each(|(name, value)| write!(f, " {name}={value}"))?;
        self.warnings.iter().try_for_each(|warning| write!(f, "; {warning}"))
    }
}
