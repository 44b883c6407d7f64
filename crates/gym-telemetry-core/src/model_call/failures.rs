use gym_telemetry_conventions::{
    attributes::{self, MODEL_CALL_OK},
    metrics,
};
use opentelemetry::{KeyValue, metrics::Histogram};

use super::series::with;
use crate::{
    histogram::{Buckets, Handover, Millis},
    shard::Sharded,
    table::Table,
    words::is_identifier,
};

/// What categories beyond the limit are called, and those that are no bare identifiers or say that nothing failed.
const OTHER: &str = "other";

/// The durations of calls that failed, by category.
#[derive(Debug)]
pub(super) struct Failures {
    duration: Histogram<f64>,
    identity: Vec<KeyValue>,
    known: Table<Failure>,
    other: Failure,
}

/// The durations of calls that failed in one way.
#[derive(Debug)]
pub(super) struct Failure {
    category: Box<str>,
    pub(super) duration: Sharded<Buckets<Millis>>,
    handover: Handover<Millis>,
}

impl Failures {
    pub(super) fn new(duration: &Histogram<f64>, identity: &[KeyValue], limit: usize) -> Self {
        Self {
            duration: duration.clone(),
            identity: identity.to_vec(),
            known: Table::new(limit),
            other: Failure::new(OTHER, duration, identity),
        }
    }

    /// What is counted of a category.
    pub(super) fn of(&self, category: &str) -> &Failure {
        let make = || Failure::new(category, &self.duration, &self.identity);
        let known = || self.known.get_or_insert(category, |failure| *failure.category == *category, make);
        let names_a_failure = is_identifier(category) && category != MODEL_CALL_OK;
        names_a_failure.then(known).flatten().unwrap_or(&self.other)
    }

    pub(super) fn hand_over(&self) {
        for failure in self.known.iter().chain([&self.other]) {
            failure.handover.run(failure.duration.iter());
        }
    }
}

impl Failure {
    fn new(category: &str, duration: &Histogram<f64>, identity: &[KeyValue]) -> Self {
        let attributes = with(identity, attributes::MODEL_CALL_OUTCOME, category);
        Self {
            category: category.into(),
            duration: Sharded::new(|| Buckets::new(&metrics::MODEL_CALL_DURATION_MS)),
            handover: Handover::new(duration.clone(), attributes),
        }
    }
}
