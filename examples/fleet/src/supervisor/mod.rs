//! Starting, watching and stopping the server processes.

mod fleet;
mod server;

pub use fleet::Fleet;
pub use server::{Ended, ServerError};
