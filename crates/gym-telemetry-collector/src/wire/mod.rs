//! OTLP metrics in protobuf, read where they lie.
//!
//! A body is looked through once: whether it is a request at all, and made of how many messages (`check`). From then on
//! it is a [`Request`], and its messages are slices of it: nothing is copied before it is known to be new. Most of what
//! an export says was said by the one before it, so its attributes are compared as bytes, and read only if they differ.

mod attributes;
mod check;
mod fields;
mod metric;
mod point;
mod request;

pub use request::Request;

pub(crate) use attributes::{attributes, scope, text};
pub(crate) use check::{Fault, check};
pub(crate) use fields::Fields;
pub(crate) use metric::Sent;
pub(crate) use point::Incoming;
