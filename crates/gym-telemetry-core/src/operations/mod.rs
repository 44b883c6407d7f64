//! Operations of a resources server behind a limit: how long they wait, how long they run, how they end.
//!
//! An operation is a [`QueuedOperation`] while it waits and a [`RunningOperation`] while it runs; whichever of them is
//! dropped takes it off the books.

mod guards;
mod recorder;
mod series;
#[cfg(test)]
mod tests;

pub use guards::{QueuedOperation, RunningOperation};
pub use recorder::{OperationMetrics, OperationSnapshot};
