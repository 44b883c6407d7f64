//! Event loops: how long a task that is ready waits until it runs, seen while it waits.
//!
//! [`EventLoopMetrics`] is the recorder. Whoever watches a loop takes an [`EventLoopProbe`] from it, which stands for
//! one task that is made ready again and again.

mod live;
mod probe;
mod recorder;
mod series;
#[cfg(test)]
mod tests;

pub use probe::EventLoopProbe;
pub use recorder::{EventLoopMetrics, EventLoopSnapshot};
