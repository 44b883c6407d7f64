//! The connections of a client: those that lie idle, and how many sockets are open.
//!
//! `state` decides, under a lock, whether a caller that holds a slot gets an idle connection, may open one, or has to
//! let a socket go first; `pool` carries that out. A `Connection` sends requests, as `streams` where it carries many.
//! A `Socket` counts as open until its bytes can no longer flow, whoever holds it by then. A `Reaper` closes what has
//! lain idle for too long.

mod connection;
mod pool;
mod reaper;
mod socket;
mod state;
mod streams;
#[cfg(test)]
mod tests;

pub(crate) use connection::{Connection, Unanswered};
pub(crate) use pool::{Found, Pool};
pub(crate) use socket::{Keeper, Socket};
pub(crate) use state::Rules;
