//! Answers to queries.

use std::collections::BTreeMap;
use std::sync::Arc;

use gym_telemetry_collector::Kind;

use super::query::Select;

/// The answer to a query: lines over the same times.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// The kind of the metric that was read.
    pub kind: Kind,
    /// Its unit, or nothing.
    pub unit: Arc<str>,
    /// The end of each step, in milliseconds since 1970, rising.
    pub times: Vec<u64>,
    /// The lines, by their labels.
    pub lines: Vec<Line>,
}

/// One line of an answer.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Line {
    /// What tells it from the others.
    pub labels: BTreeMap<String, String>,
    /// A value for each time; nothing where nothing is known.
    pub values: Vec<Option<f64>>,
}

/// Why a query has no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// No process has reported it.
    #[error("no metric is called {metric:?}")]
    #[non_exhaustive]
    UnknownMetric {
        /// The name that was asked for.
        metric: String,
    },
    /// A metric of this kind does not have that number.
    #[error("{select:?} cannot be taken of a {kind:?}")]
    #[non_exhaustive]
    Unsuited {
        /// What was asked for.
        select: Select,
        /// What the metric is.
        kind: Kind,
    },
    /// It is not between 0 and 1.
    #[error("{quantile} is not a quantile between 0 and 1")]
    #[non_exhaustive]
    Quantile {
        /// The quantile that was asked for.
        quantile: f64,
    },
}
