//! What telemetry does in a process: a `telemetry:` block, the environment, and how they are combined.

mod block;
mod child;
mod environment;
mod error;
mod form;
mod headers;
mod values;

#[cfg(test)]
mod tests;

pub use block::{MemoryProfiling, Settings};
pub(crate) use environment::{Environment, of_the_process};
pub use error::SettingsError;
pub(crate) use form::{ENDPOINT, Form, HEADERS, MILLISECONDS, PROTOCOL};
pub use headers::Headers;
pub use values::{Exporter, Protocol};
