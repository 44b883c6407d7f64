//! The exporter's own thread, with a runtime of its own, so that nothing of it runs on the application's.
//!
//! The thread collects, encodes and sends; everyone else leaves it a message and waits as long as they like. It ends
//! when it is told to, or when the last [`Control`] is dropped, and makes a last export either way.

mod control;
mod health;
mod output;
mod reader;
mod thread;

pub(crate) use control::{Command, Control};
pub use health::Status;
pub(crate) use output::{Output, Sink};
pub(crate) use reader::Reader;
pub(crate) use thread::{Plan, spawn};
