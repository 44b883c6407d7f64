//! Between what is held and what OTLP says.

mod json;
mod read;
mod write;

pub(crate) use json::Canonical;
pub(crate) use read::{attributes, scope};
pub(crate) use write::request;
