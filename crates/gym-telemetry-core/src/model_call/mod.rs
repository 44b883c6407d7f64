//! Calls of a model: how long they take, when their first chunk comes, what they cost in tokens, why they end.
//!
//! [`ModelCallMetrics`] is the recorder of one model server; each call is a [`ModelCall`], which ends exactly once.

mod call;
mod failures;
mod finish;
mod recorder;
mod series;
#[cfg(test)]
mod tests;

pub use call::ModelCall;
pub use recorder::ModelCallMetrics;
