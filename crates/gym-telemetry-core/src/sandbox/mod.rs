//! Sandboxes: how many are held, how long they take to start, how long commands in them take.
//!
//! A [`SandboxStart`] becomes a [`Sandbox`] when its provider hands one back, and a sandbox counts until it is stopped
//! or dropped.

mod guards;
mod recorder;
mod series;
#[cfg(test)]
mod tests;

pub use guards::{Sandbox, SandboxExec, SandboxStart};
pub use recorder::{SandboxMetrics, SandboxProvider};
