//! Whether the intended calls fit: through the limits, into the process's file descriptors, onto the machine's ports.

mod check;
mod error;
mod report;
mod system;
#[cfg(test)]
mod tests;
mod warning;

pub use check::Capacity;
pub use error::CapacityError;
pub use report::CapacityReport;
pub use warning::CapacityWarning;
