//! OTLP over gRPC.
//!
//! Messages pass through undecoded, so that both transports decode within the same limits and what is thrown away
//! needs no decoding.

use std::future::ready;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http;
use axum::routing::post;
use bytes::{Buf, BufMut, Bytes};
use prost::Message;
use tonic::body::Body;
use tonic::codec::{Codec, CompressionEncoding, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::server::Grpc;
use tonic::{Code, Response, Status};
use tower::service_fn;

use super::intake::{Intake, Signal};
use super::refusal::Refusal;
use crate::decode::Format;

pub(crate) fn router(intake: Arc<Intake>) -> Router {
    Router::new()
        .route("/opentelemetry.proto.collector.metrics.v1.MetricsService/Export", post(metrics))
        .route("/opentelemetry.proto.collector.trace.v1.TraceService/Export", post(other))
        .route("/opentelemetry.proto.collector.logs.v1.LogsService/Export", post(other))
        .fallback(unknown)
        .with_state(intake)
}

async fn metrics(State(intake): State<Arc<Intake>>, request: Request) -> http::Response<Body> {
    export(&intake, Signal::Metrics, request).await
}

async fn other(State(intake): State<Arc<Intake>>, request: Request) -> http::Response<Body> {
    export(&intake, Signal::Other, request).await
}

async fn unknown(State(intake): State<Arc<Intake>>) -> http::Response<Body> {
    intake.note_request();
    settle(&intake, Err(Refusal::Path))
}

async fn export(intake: &Intake, signal: Signal, request: Request) -> http::Response<Body> {
    let apply = |message: tonic::Request<Bytes>| {
        let outcome = intake.apply(signal, message.get_ref(), Format::Protobuf);
        ready(outcome.map(|response| Response::new(response.encode_to_vec().into())).map_err(Status::from))
    };
    let mut grpc = Grpc::new(Raw)
        .accept_compressed(CompressionEncoding::Gzip)
        .max_decoding_message_size(intake.max_request_bytes());
    let outcome = intake.admit(async {
        intake.check(request.headers())?;
        Ok(grpc.unary(service_fn(apply), request).await)
    });
    settle(intake, outcome.await)
}

/// Counts refusals, and gives those of messages that are too long a code that exporters do not try again on.
fn settle(intake: &Intake, outcome: Result<http::Response<Body>, Refusal>) -> http::Response<Body> {
    let response = outcome.unwrap_or_else(|refusal| Status::from(refusal).into_http());
    // Only an answer without a message has its status this early.
    let Some(status) = Status::from_header_map(response.headers()) else { return response };
    intake.note_refusal();
    match status.code() {
        Code::OutOfRange => Status::resource_exhausted(status.message()).into_http(),
        _ => response,
    }
}

/// Messages as they are on the wire.
#[derive(Debug, Clone, Copy)]
struct Raw;

impl Codec for Raw {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, message: Bytes, wire: &mut EncodeBuf<'_>) -> Result<(), Status> {
        wire.put(message);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, wire: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(wire.copy_to_bytes(wire.remaining())))
    }
}
