//! Seeing each point as it is taken in.

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceResponse;

use super::receipt::Receipt;
use crate::model::{Attributes, MetricKey, Point, SeriesId};
use crate::wire::Request;

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
    /// What the metric counts, in the words first sent with it.
    pub description: &'a str,
    /// What tells it from the other series of the metric.
    pub attributes: &'a Attributes,
    /// What is held now. Differences have been added up already.
    pub point: &'a Point,
    /// What was held before; nothing when the series is new.
    pub previous: Option<&'a Point>,
    /// How it relates to what was held before.
    pub change: Change,
}

/// Sees each point as it is taken in, in the order in which they are, between the beginning and the end of its
/// request.
///
/// It runs while the store is locked, so it should be quick and must not read the collector it is part of. Closures
/// are observers, so is a pair of observers, and so is `()`, which does nothing. Points that are ignored or refused
/// are not shown. When it panics, the rest of that request is lost, and nothing else.
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

    /// A request is about to be taken in.
    fn begin(&mut self, request: &Request<'_>) {
        let _ = request;
    }

    /// Whether a process may be forgotten, now that a limit leaves no room for another. Those that have been silent for
    /// longest are asked about first; once this is true of one, all that is held of it goes.
    fn lets_go(&mut self, process: &Attributes) -> bool {
        let _ = process;
        false
    }

    /// What could be taken in of a request has been. `receipt` counts its points, `response` is the answer to it.
    fn finish(&mut self, receipt: &Receipt, response: &ExportMetricsServiceResponse) {
        let _ = (receipt, response);
    }
}

impl Observer for () {
    fn observe(&mut self, _: &Update<'_>) {}
}

impl<F: FnMut(&Update<'_>) + Send + 'static> Observer for F {
    fn observe(&mut self, update: &Update<'_>) {
        self(update);
    }
}

/// The first, then the second.
impl<A: Observer, B: Observer> Observer for (A, B) {
    fn observe(&mut self, update: &Update<'_>) {
        self.0.observe(update);
        self.1.observe(update);
    }

    fn begin(&mut self, request: &Request<'_>) {
        self.0.begin(request);
        self.1.begin(request);
    }

    /// When both let go of it.
    fn lets_go(&mut self, process: &Attributes) -> bool {
        self.0.lets_go(process) && self.1.lets_go(process)
    }

    fn finish(&mut self, receipt: &Receipt, response: &ExportMetricsServiceResponse) {
        self.0.finish(receipt, response);
        self.1.finish(receipt, response);
    }
}
