//! A semaphore whose number of slots may change while it is in use, and whose state is reported.
//!
//! `state` decides, under a lock, who gets slots; `shared` hands them out; `wait` is a caller in the queue. A granted
//! slot is a [`MeteredPermit`] from the start, wherever it lies: when nobody is left to take it, it goes back by
//! itself.

mod error;
mod metered;
mod shared;
mod state;
#[cfg(test)]
mod tests;
mod wait;

pub use error::AcquireError;
pub use metered::MeteredSemaphore;
pub use shared::MeteredPermit;
