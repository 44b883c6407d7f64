//! What tests of several crates share: foreign backends, which may be missing, and waiting for what is to come.
#![expect(clippy::unwrap_used, reason = "all of it is test code")]

mod browser;
mod missing;
mod python;
mod rotel;
mod wait;

pub use browser::browser;
pub use missing::{missing, skip};
pub use python::python;
pub use rotel::Rotel;
pub use wait::{LONG, eventually};
