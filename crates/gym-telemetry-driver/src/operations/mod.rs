//! Operations that wait for a limit, run inside it and end in a known way.

mod guard;
mod limit;
#[cfg(test)]
mod tests;

pub use guard::{LimitedOperation, operation};
pub use limit::Limit;
