//! Starting, watching and stopping the server processes.

mod fleet;
mod server;

pub(crate) use fleet::Fleet;
pub(crate) use server::{Ended, ServerError};
