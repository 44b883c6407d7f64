//! What the tests share: a recorder with a way to read it, servers on a free port, handlers that wait for the test, and
//! clients that misbehave.

mod observed;
mod raw;
mod server;
mod zoo;

pub(crate) use observed::{Exported, Observed};
pub(crate) use raw::Raw;
pub(crate) use server::{Kind, Server};
pub(crate) use zoo::{Zoo, frames};
