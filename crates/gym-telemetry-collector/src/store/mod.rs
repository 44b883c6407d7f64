//! The latest state of every series, without any network.
//!
//! [`Store::apply`] takes one decoded request after the other; [`Store::snapshot`] hands out what is held. Histories
//! and recordings are built on it by an [`Observer`], which sees each point as it is taken in.

mod apply;
mod incoming;
mod limits;
mod observer;
mod receipt;

pub use apply::Store;
pub use limits::Limits;
pub use observer::{Change, Observer, Update};
pub use receipt::Receipt;
