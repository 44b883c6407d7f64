//! Processes in which answers are verified, so that a verification that runs away harms nobody.
//!
//! A sandbox is this binary once more: `inside` is what runs there, under limits that it takes on itself before it
//! reads anything; `process` is such a process as the resources server sees it; the [`Sandboxes`] start them, keep them
//! for the next verification, and count them.

mod inside;
mod process;
mod provider;
#[cfg(test)]
mod tests;

pub(crate) use inside::answer_questions;
pub(crate) use process::SandboxError;
pub(crate) use provider::Sandboxes;
