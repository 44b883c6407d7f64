//! OTLP over the network, on both transports.

mod grpc;
mod http;
mod intake;
mod refusal;

pub use intake::Counts;

pub(crate) use grpc::router as grpc;
pub(crate) use http::router as http;
pub(crate) use intake::Intake;
