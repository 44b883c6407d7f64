//! Spans: where they wait once they have ended, and how they get to a collector.
//!
//! The SDK's own batches run on a thread without a runtime, or on the application's. Here spans wait in a [`SpanQueue`]
//! for the exporter's thread, which sends them along with the metrics.

mod outlet;
mod queue;

pub(crate) use outlet::{Outlet, Tracing};
