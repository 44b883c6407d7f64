//! Processes and their metrics.

use std::sync::Arc;

use super::{Attributes, Indexed, Point};

/// What kind of number a metric is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kind {
    /// A current value; adding up those of several processes is up to the reader.
    Gauge,
    /// A total.
    #[non_exhaustive]
    Sum {
        /// Whether it only ever grows: a counter, as against an up-down counter.
        monotonic: bool,
    },
    /// Counts by explicit boundaries.
    Histogram,
    /// Counts by exponentially growing boundaries.
    ExponentialHistogram,
    /// Quantiles that the process computed itself.
    Summary,
}

impl Kind {
    /// A total that only ever grows.
    pub const COUNTER: Self = Self::Sum { monotonic: true };
    /// A total that may fall again.
    pub const UP_DOWN_COUNTER: Self = Self::Sum { monotonic: false };
}

/// The library that reported a metric.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Scope {
    /// Its name.
    pub name: String,
    /// Its version, or nothing.
    pub version: String,
    /// What else it says about itself.
    pub attributes: Attributes,
    /// Where its conventions are described, or nothing.
    pub schema_url: String,
}

/// What tells one metric of a process from another.
///
/// Unit and kind are part of it: a process that reports one name in two ways has two metrics, which are never mixed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct MetricKey {
    /// The library that reports it.
    pub scope: Arc<Scope>,
    /// Its name.
    pub name: String,
    /// Its unit, or nothing.
    pub unit: String,
    /// What kind of number it is.
    pub kind: Kind,
}

impl MetricKey {
    /// Bytes that the key occupies; the scope counts in full, though metrics of one request share it.
    fn bytes(&self) -> usize {
        let scope = &self.scope;
        let texts = [&self.name, &self.unit, &scope.name, &scope.version, &scope.schema_url];
        let texts: usize = texts.into_iter().map(String::capacity).sum();
        size_of::<Self>() + size_of::<Scope>() + texts + scope.attributes.heap_bytes()
    }
}

/// One metric of one process with its series.
#[derive(Debug, Clone)]
pub struct Metric {
    pub(crate) key: Arc<MetricKey>,
    pub(crate) description: Arc<str>,
    pub(crate) series: Indexed<Attributes, Held>,
}

impl Metric {
    /// What it is.
    pub fn key(&self) -> &MetricKey {
        &self.key
    }

    /// What it counts, in the words first sent with it.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The latest point of every series, by attributes.
    pub fn points(&self) -> impl ExactSizeIterator<Item = (&Attributes, &Point)> {
        self.series.iter().map(|(attributes, held)| (attributes, &held.point))
    }

    /// Bytes that it occupies without its series.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + self.key.bytes() + self.description.len()
    }
}

/// A number that belongs to one series of one store for as long as the store lives.
///
/// It is a short key for whoever keeps something of their own for each series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeriesId(pub(crate) u64);

/// One series as it is held.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    pub(crate) id: SeriesId,
    pub(crate) attributes: Attributes,
    pub(crate) point: Point,
}

/// One source of metrics, as a rule a process.
///
/// Two processes are told apart by these attributes alone. When `process.pid`, or whatever else makes them unique, is
/// missing from them, their points replace each other, and there is no way to notice.
#[derive(Debug, Clone)]
pub struct Resource {
    pub(crate) attributes: Attributes,
    pub(crate) schema_url: Arc<str>,
    pub(crate) metrics: Indexed<Arc<MetricKey>, Metric>,
}

impl Resource {
    /// What tells it from the others.
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// Where its conventions are described, in the words first sent with it, or nothing.
    pub fn schema_url(&self) -> &str {
        &self.schema_url
    }

    /// Its metrics, by scope and name.
    pub fn metrics(&self) -> impl ExactSizeIterator<Item = &Metric> {
        self.metrics.iter().map(|(_, metric)| metric)
    }

    /// Bytes that it occupies without its metrics.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + self.attributes.heap_bytes() + self.schema_url.len()
    }
}
