//! The page over its socket, fed by a collector.
#![expect(clippy::unwrap_used, reason = "all of it is test code")]

mod api;
mod events;
mod guard;
mod html;
mod support;
mod text;
