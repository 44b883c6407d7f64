//! The collector from outside: its store, its decoding, and its two ports.
#![cfg(test)]

mod decoding;
mod delta;
mod grpc;
mod http;
mod json;
mod lifecycle;
mod limits;
mod model;
mod reading;
mod store;
mod support;
mod wire;
