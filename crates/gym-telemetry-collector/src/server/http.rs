//! OTLP over HTTP, in protobuf or JSON.
//!
//! An answer has the encoding of the request, refusals included; a request in neither is answered in protobuf.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use prost::Message;
use serde::Serialize;

use super::intake::{Intake, Signal};
use super::refusal::Refusal;
use crate::decode::{DecodeError, Format, inflate};

pub(crate) fn router(intake: Arc<Intake>) -> Router {
    Router::new()
        .route("/v1/metrics", post(metrics))
        .route("/v1/traces", post(other))
        .route("/v1/logs", post(other))
        .method_not_allowed_fallback(wrong_method)
        .fallback(wrong_path)
        .with_state(intake)
}

async fn metrics(State(intake): State<Arc<Intake>>, request: Request) -> Response {
    export(&intake, Signal::Metrics, request).await
}

async fn other(State(intake): State<Arc<Intake>>, request: Request) -> Response {
    export(&intake, Signal::Other, request).await
}

async fn wrong_method(State(intake): State<Arc<Intake>>, headers: HeaderMap) -> Response {
    intake.note_request();
    refuse(&intake, format_of(&headers), &Refusal::Method)
}

async fn wrong_path(State(intake): State<Arc<Intake>>, headers: HeaderMap) -> Response {
    intake.note_request();
    refuse(&intake, format_of(&headers), &Refusal::Path)
}

async fn export(intake: &Intake, signal: Signal, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let format = format_of(&head.headers);
    let outcome = intake.admit(async {
        intake.check(&head.headers)?;
        let format = format.ok_or(Refusal::ContentType)?;
        let body = read(&head.headers, body, intake.max_request_bytes()).await?;
        let response = intake.apply(signal, &body, format)?;
        Ok(write(StatusCode::OK, format, &response))
    });
    outcome.await.unwrap_or_else(|refusal| refuse(intake, format, &refusal))
}

/// What the body is encoded as, when it is something that is understood.
fn format_of(headers: &HeaderMap) -> Option<Format> {
    let content_type = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    let essence = content_type.split(';').next()?.trim();
    let is = |known: &str| essence.eq_ignore_ascii_case(known);
    if is("application/x-protobuf") { Some(Format::Protobuf) } else { is("application/json").then_some(Format::Json) }
}

/// The body, decompressed, when it is not too long. Both lengths have the same limit.
async fn read(headers: &HeaderMap, body: Body, limit: usize) -> Result<Bytes, Refusal> {
    let compressed = match headers.get(CONTENT_ENCODING).map(HeaderValue::as_bytes) {
        None | Some(b"identity") => false,
        Some(b"gzip") => true,
        Some(_) => return Err(Refusal::ContentEncoding),
    };
    // A sender that waits to be told to go on need not send what would be refused.
    if body.size_hint().lower() > limit as u64 {
        return Err(DecodeError::TooLarge { limit }.into());
    }
    let body = Limited::new(body, limit).collect().await.map_err(|error| match error.is::<LengthLimitError>() {
        true => DecodeError::TooLarge { limit }.into(),
        false => Refusal::Interrupted,
    })?;
    let body = body.to_bytes();
    if compressed { Ok(inflate(&body, limit)?.into()) } else { Ok(body) }
}

/// `google.rpc.Status`, which is what OTLP wants every refusal to carry.
#[derive(Clone, PartialEq, Message, Serialize)]
struct RpcStatus {
    #[prost(int32, tag = "1")]
    code: i32,
    #[prost(string, tag = "2")]
    message: String,
}

fn refuse(intake: &Intake, format: Option<Format>, refusal: &Refusal) -> Response {
    intake.note_refusal();
    let status = RpcStatus { code: refusal.code().into(), message: refusal.message() };
    let response = write(refusal.http(), format.unwrap_or(Format::Protobuf), &status);
    let hint: Option<[(HeaderName, &str); 1]> = match refusal {
        Refusal::Busy => Some([(RETRY_AFTER, "1")]),
        Refusal::ContentEncoding => Some([(ACCEPT_ENCODING, "gzip")]),
        _ => None,
    };
    (hint, response).into_response()
}

/// An answer in the encoding of the request.
fn write(status: StatusCode, format: Format, message: &(impl Message + Serialize)) -> Response {
    match format {
        Format::Protobuf => {
            let head = [(CONTENT_TYPE, "application/x-protobuf")];
            (status, head, message.encode_to_vec()).into_response()
        }
        Format::Json => {
            let head = [(CONTENT_TYPE, "application/json")];
            (status, head, serde_json::to_vec(message).unwrap_or_default()).into_response()
        }
    }
}
