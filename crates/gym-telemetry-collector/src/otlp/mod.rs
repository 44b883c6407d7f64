//! Between what is held and what OTLP says: attributes and scopes on the way in, everything on the way out.
//!
//! Taking points apart on the way in is up to the store, because that is where they are checked.

mod json;
mod read;
mod write;

pub(crate) use json::Canonical;
pub(crate) use read::{attributes, scope};
pub(crate) use write::request;
