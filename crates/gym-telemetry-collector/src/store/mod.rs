//! The latest state of every series, without any network.
//!
//! [`Store::apply`] takes one decoded request after the other; [`Store::snapshot`] hands out what is held. Histories
//! and recordings are built on it by an [`Observer`], which sees each point as it is taken in.
//!
//! A request is taken apart by process (`apply`). Its points are checked (`incoming`), find their series, as a rule
//! where it was the last time (`recall`), pay for the room they need (`limits`) and are held (`intake`); what became of
//! them goes into the answer (`receipt`).

mod apply;
mod incoming;
mod intake;
mod limits;
mod observer;
mod recall;
mod receipt;

pub use apply::Store;
pub use limits::Limits;
pub use observer::{Change, Observer, Update};
pub use receipt::Receipt;
