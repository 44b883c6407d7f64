//! What routes answer with.

use std::time::Duration;

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde::Serialize;
use serde_json::json;

/// A view shows so much of the past, unless told otherwise.
pub(super) const SINCE: Duration = Duration::from_secs(300);

/// Why a request has no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    /// There is no such thing.
    #[error("{0}")]
    Unknown(String),
    /// The request makes no sense.
    #[error("{0}")]
    Bad(String),
    /// Too much is going on.
    #[error("too many follow this page at once")]
    Busy,
    /// The work did not come to its end.
    #[error("the answer could not be made")]
    Failed,
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = match self {
            Self::Unknown(_) => StatusCode::NOT_FOUND,
            Self::Bad(_) => StatusCode::BAD_REQUEST,
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::Failed => StatusCode::INTERNAL_SERVER_ERROR,
        };
        (status, Json(json!({ "error": self.to_string() }))).into_response()
    }
}

/// Does what takes a while where it keeps nobody waiting.
pub(super) async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Refusal> {
    tokio::task::spawn_blocking(work).await.map_err(|_| Refusal::Failed)
}

/// Answers with what `work` makes.
pub(super) async fn json_of<T: Serialize>(work: impl FnOnce() -> T + Send + 'static) -> Result<Response, Refusal> {
    let text = aside(move || serde_json::to_string(&work())).await?.map_err(|_| Refusal::Failed)?;
    Ok(([("content-type", "application/json")], text).into_response())
}
