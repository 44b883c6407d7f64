//! Attribute keys with what their values may be, and the values that are fixed in sets which are otherwise open.
//!
//! The number of series stays bounded because every value does. A *closed* value comes from an enum of this crate, a
//! *configured* one from whoever set the fleet up, and a *bounded* one from a vocabulary that is small by nature.

mod attribute;
mod fixed;
mod keys;

pub use attribute::{Attribute, ValueType, Values};
pub use fixed::*;
pub use keys::*;
