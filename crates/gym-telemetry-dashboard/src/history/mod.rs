//! The recent history of every series, in bounded memory, and the queries that read it.
//!
//! # What is never mixed
//!
//! A process is what its resource attributes say. Two of them stay apart in all that is held; they come together only
//! as a query says:
//!
//! | kind | over several processes, unless the query says otherwise |
//! | --- | --- |
//! | counter, histogram | their sum; what a dead process counted stays in it |
//! | up-down counter | the sum of those that report; the last value of a dead process leaves it |
//! | gauge | a line for each; on demand their smallest, median and largest |
//!
//! Metrics that share a name, but not unit and kind, are different metrics; see [`Query::kind`].

mod answer;
mod evaluate;
mod handle;
mod metric;
mod observe;
mod process;
mod query;
mod refused;
mod settings;
mod state;

pub use answer::{Answer, Line, QueryError};
pub use handle::History;
pub use metric::MetricInfo;
pub use process::{Process, ProcessId, ProcessState};
pub use query::{Over, Query, Select};
pub use refused::Refused;
pub use settings::Settings;
