use std::time::Duration;

use serde::Serialize;

/// What shares are about: the last minute.
pub(super) const RECENT: Duration = Duration::from_secs(60);

/// A sentence that a rule derives from the data.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(in crate::page) struct Finding {
    /// The rule's name.
    pub(in crate::page) rule: &'static str,
    pub(in crate::page) severity: Severity,
    pub(in crate::page) sentence: String,
    /// What it was made of; empty when it is not made of a metric.
    pub(in crate::page) query: String,
}

/// How much a finding matters, most first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::page) enum Severity {
    /// Something does not work.
    Bad,
    /// Something slows the fleet down, or may soon.
    Warn,
    /// Something to know.
    Note,
}

/// A share as it is said.
pub(super) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// A time as it is said.
pub(super) fn spoken(seconds: f64) -> String {
    if seconds < 10.0 {
        format!("{seconds:.1} s")
    } else if seconds < 120.0 {
        format!("{seconds:.0} s")
    } else {
        format!("{:.0} min", seconds / 60.0)
    }
}
