//! OTLP over the network, on both transports.
//!
//! Either transport only gets at the bytes of a request and says what became of it. Between the two lies the same
//! `Intake`: a request waits for its turn, is decoded within the limits, and goes to the store.

mod grpc;
mod guard;
mod http;
mod intake;
mod refusal;

pub use intake::Counts;

pub(crate) use grpc::router as grpc;
pub(crate) use guard::Token;
pub(crate) use http::router as http;
pub(crate) use intake::Intake;
