//! Slots under a total limit and a limit for each host, with one fair queue.
//!
//! `state` decides, under a lock, who gets a slot and who waits; `hosts` and `waiters` hold what it decides about.
//! `shared` hands slots out and takes them back; `waiting` is a caller in the queue. Who is no longer in the queue has
//! a slot, polled or not: when nobody is left to take it, it goes to the next.

mod hosts;
mod limits;
mod shared;
mod state;
#[cfg(test)]
mod tests;
mod waiters;
mod waiting;

pub use limits::Limits;
pub use shared::{Slot, Slots, SlotsSnapshot};
pub use waiting::Waiting;
