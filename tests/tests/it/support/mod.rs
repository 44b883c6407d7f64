//! What the tests share: tasks, fleets that do them, backends for these, and the accounts of a run.

mod books;
mod contract;
mod fleet;
mod folder;
mod model;
mod runtime;
mod spans;
mod tasks;

pub(crate) use books::{AGENT, Books, DRIVER, MODEL, VERIFIER};
pub(crate) use fleet::{Ended, Fleet, Running, is_running_with, kill_all_with};
pub(crate) use folder::{Folder, read_state, rows};
pub(crate) use model::HeldModel;
pub(crate) use runtime::{RUNTIME, collector};
pub(crate) use spans::{Sent, Spans};
pub(crate) use tasks::{CALCULATIONS, TASKS, tasks};
