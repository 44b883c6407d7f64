//! Requests that are not taken in, and how the sender is told.

use std::error::Error;

use axum::http::StatusCode;
use tonic::{Code, Status};

use crate::decode::DecodeError;

/// A text from outside is cut to this many characters when it is part of an answer.
const MESSAGE_CHARS: usize = 300;

/// Why a request is not taken in.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    #[error(transparent)]
    Body(#[from] DecodeError),
    #[error("the body ended early")]
    Interrupted,
    #[error("the content type is neither application/x-protobuf nor application/json")]
    ContentType,
    #[error("the content encoding is not gzip")]
    ContentEncoding,
    #[error("pages in a browser send nothing here")]
    Page,
    #[error("the token is missing or wrong: it belongs behind \"Bearer\" in the header \"authorization\"")]
    Token,
    #[error("nothing takes metrics under this path")]
    Path,
    #[error("only POST is understood")]
    Method,
    #[error("too many requests at once")]
    Busy,
    #[error("the request took too long")]
    Slow,
}

impl Refusal {
    /// The code for a sender that speaks HTTP. Of these, OTLP exporters repeat a request after 503 alone.
    pub(super) fn http(&self) -> StatusCode {
        match self {
            Self::Body(DecodeError::TooLarge { .. } | DecodeError::TooManyMessages { .. }) => {
                StatusCode::PAYLOAD_TOO_LARGE
            }
            Self::Body(_) | Self::Interrupted => StatusCode::BAD_REQUEST,
            Self::ContentType | Self::ContentEncoding => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Page => StatusCode::FORBIDDEN,
            Self::Token => StatusCode::UNAUTHORIZED,
            Self::Path => StatusCode::NOT_FOUND,
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::Slow => StatusCode::REQUEST_TIMEOUT,
        }
    }

    /// The code for a sender that speaks gRPC, and for the body of an HTTP answer.
    pub(super) fn code(&self) -> Code {
        match self {
            Self::Body(DecodeError::TooLarge { .. } | DecodeError::TooManyMessages { .. }) => Code::ResourceExhausted,
            Self::Body(_) | Self::Interrupted | Self::ContentType | Self::ContentEncoding => Code::InvalidArgument,
            Self::Page => Code::PermissionDenied,
            Self::Token => Code::Unauthenticated,
            Self::Path | Self::Method => Code::Unimplemented,
            Self::Busy => Code::Unavailable,
            Self::Slow => Code::DeadlineExceeded,
        }
    }

    /// What happened, with its causes.
    pub(super) fn message(&self) -> String {
        let mut message = self.to_string();
        let mut cause = self.source();
        while let Some(error) = cause {
            message = format!("{message}: {error}");
            cause = error.source();
        }
        message.chars().take(MESSAGE_CHARS).collect()
    }
}

impl From<Refusal> for Status {
    fn from(refusal: Refusal) -> Self {
        Self::new(refusal.code(), refusal.message())
    }
}
