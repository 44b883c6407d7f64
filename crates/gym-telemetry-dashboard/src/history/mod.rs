//! The recent history of every series, in bounded memory, and the queries that read it.
//!
//! # What is never mixed
//!
//! A process is what its resource attributes say. Two of them stay apart in all that is held; they come together only
//! as a query says. Where several have the same attributes nothing can tell them apart; [`Process::mixed`] notices it.
//!
//! | kind | over several processes, unless the query says otherwise |
//! | --- | --- |
//! | counter, histogram | their sum; what a dead process counted stays in it |
//! | up-down counter | the sum of those that report; the last value of a dead process leaves it |
//! | gauge | a line for each; on demand their smallest, median and largest |
//!
//! The *growth* of a counter or a histogram is what it counted between two exports, and it is spread evenly over the
//! time between them. What a restart, a later start time or a fall of the value makes count anew goes on from where it
//! was, so totals never fall and no rate is negative; differences (delta temporality) are added up before. A series
//! that appears in a process that has exported before began at zero; what a process had counted before anybody looked
//! is in its total, and is no growth. A value that is no finite number leaves a gap.
//!
//! Histograms whose boundaries differ come together in coarser buckets, by the boundaries that they share. Without any
//! they have a count and a mean together, but no quantile.
//!
//! # How much is held
//!
//! The last 4 to 5 minutes by the second, and a value for every 30 seconds of the time before, up to the retention; in
//! other words 240 to 300 times the [resolution](Settings::resolution), and thirty times it. The coarse part keeps the
//! sum of all growth and the last of several values. Whole numbers are exact, others in the past are kept to seven
//! digits. A number takes one to five bytes a point, so an hour of it half a kilobyte to three. When all of them
//! together exceed [`Settings::max_bytes`], those that take in points give up the oldest of their own past; [`Refused`]
//! counts it.
//!
//! A process that has been gone for longer than the retention is forgotten with its series. What it counted goes into
//! a total for its server and the attributes of the series. When the series are as many as may be, a process that is
//! gone is forgotten earlier, the longest silent one first; one that reports never is.
//!
//! Metrics that share a name, but not unit and kind, are different metrics; see [`Query::kind`] and
//! [`Query::unit`].

mod answer;
mod distribution;
mod evaluate;
mod handle;
mod metric;
mod observe;
mod process;
mod query;
mod refused;
mod ring;
mod series;
mod settings;
mod settled;
mod source;
mod state;

#[cfg(test)]
mod tests;

pub use answer::{Answer, Line, QueryError};
pub use handle::History;
pub use metric::MetricInfo;
pub use process::{Process, ProcessId, ProcessState};
pub use query::{Over, Query, Select};
pub use refused::Refused;
pub use settings::Settings;

pub(crate) use handle::unix_millis;
