//! Seeing each point as it is taken in.

use crate::model::{Attributes, MetricKey, Point, SeriesId};

/// How a point relates to the one that was held before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// The series was not held before.
    New,
    /// The series goes on.
    Continued,
    /// A cumulative series counts from a later start than before: its process began anew.
    Restarted,
}

/// One point that was taken in.
#[derive(Debug)]
#[non_exhaustive]
pub struct Update<'a> {
    /// The series.
    pub series: SeriesId,
    /// The attributes of the process it belongs to.
    pub resource: &'a Attributes,
    /// The metric it belongs to.
    pub metric: &'a MetricKey,
    /// What tells it from the other series of the metric.
    pub attributes: &'a Attributes,
    /// What is held now. Differences have been added up already.
    pub point: &'a Point,
    /// How it relates to what was held before.
    pub change: Change,
}

/// Sees each point as it is taken in, in the order in which they are.
///
/// It runs while the store is locked, so it should be quick and must not read the collector it is part of. Closures
/// are observers, and so is `()`, which does nothing. Points that are ignored or refused are not shown. When it
/// panics, the rest of that request is lost, and nothing else.
///
/// # Example
///
/// ```
/// use std::sync::mpsc;
///
/// use gym_telemetry_collector::{Limits, Store, Update};
///
/// let (seen, updates) = mpsc::channel();
/// let store = Store::observed(Limits::default(), move |update: &Update<'_>| {
///     let _ = seen.send((update.series, update.point.clone()));
/// });
/// # drop(store);
/// assert_eq!(updates.iter().count(), 0);
/// ```
pub trait Observer: Send + 'static {
    /// A point was taken in.
    fn observe(&mut self, update: &Update<'_>);
}

impl Observer for () {
    fn observe(&mut self, _: &Update<'_>) {}
}

impl<F: FnMut(&Update<'_>) + Send + 'static> Observer for F {
    fn observe(&mut self, update: &Update<'_>) {
        self(update);
    }
}
