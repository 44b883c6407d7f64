//! What is held, as OTLP says it.

mod json;
mod write;

pub(crate) use json::Canonical;
pub(crate) use write::request;
