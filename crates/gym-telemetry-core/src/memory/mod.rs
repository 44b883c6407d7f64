//! Memory: what a watcher saw of a fleet, its host and its container, and what of it is reported.

mod recorder;
mod sample;
#[cfg(test)]
mod tests;

pub use recorder::MemoryMetrics;
pub use sample::{ContainerMemory, HostMemory, MemorySample, MemoryUsage, Pressure, ServerMemory, Stall};
