//! What a person reads when a run is over.

mod models;
mod print;
mod resources;
mod rollouts;
mod servers;
mod table;
mod waits;

pub(crate) use print::{Summary, print};
