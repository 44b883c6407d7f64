//! The client against servers on sockets, and the accounts that it keeps of that.
#![cfg(test)]

mod bounds;
mod chaos;
mod conventions;
mod failures;
mod http2;
mod http2_refusals;
#[cfg(feature = "rustls")]
mod https;
mod metered;
mod reuse;
mod slots;
mod support;
mod waits;
