//! The layer against real servers, real clients and other layers. A test of a case from the field bears its number.
#![cfg(test)]

mod bounds;
mod conventions;
mod grpc;
mod http1;
mod http2;
mod in_process;
mod layers;
mod log;
mod routes;
mod soak;
mod support;
