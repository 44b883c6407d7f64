//! The routes of the page, and who may use them.

mod api;
mod events;
mod exposition;
mod guard;
mod host;
mod pages;
mod reply;
mod router;

pub(super) use router::router;
