//! What a call costs with a pool that has limits, and what waiting for them costs.

mod bench;
mod calls;
mod clients;
mod hosts;
mod server;
mod slots;

pub(crate) use bench::BENCH;
pub(crate) use server::{NAME as SERVER, serve};
