//! JSON over HTTP from one part of the fleet to another.

use std::error::Error as StdError;

use bytes::Bytes;
use gym_telemetry::{
    Telemetry,
    hyper::{Destination, Limits, PooledClient},
};
use http::{Request, StatusCode, header::CONTENT_TYPE};
use http_body_util::{BodyExt as _, Full};
use hyper_util::client::legacy::connect::HttpConnector;
use serde::Serialize;
use serde_json::Value;

/// Calls other servers over a limited number of connections. Cloning it shares them.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    http: PooledClient<HttpConnector, Full<Bytes>>,
}

/// Why a call brought no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CallError {
    /// No response, or not all of it.
    #[error("no whole answer from {url}")]
    NoAnswer { url: String, source: Box<dyn StdError + Send + Sync> },
    /// A response that is not a success.
    #[error("{url} answered {status}: {text}")]
    Status { url: String, status: StatusCode, text: String },
    /// A success that is not JSON.
    #[error("the answer from {url} is not JSON")]
    NotJson { url: String, source: serde_json::Error },
}

impl Client {
    /// A client that holds no more than `connections` to each server; 0 means no limit.
    pub(crate) fn new(telemetry: &Telemetry, connections: usize) -> Self {
        let limits = Limits::new().per_host(connections);
        Self { http: PooledClient::builder(telemetry.pool()).limits(limits).build_http() }
    }

    /// Posts JSON to a server of this name, and reads the JSON that comes back.
    pub(crate) async fn post(
        &self,
        server: &'static str,
        url: &str,
        body: &impl Serialize,
    ) -> Result<Value, CallError> {
        let no_answer = |source| CallError::NoAnswer { url: url.to_owned(), source };
        let request = Request::post(url).header(CONTENT_TYPE, "application/json").extension(Destination::new(server));
        let body = serde_json::to_vec(body).map_err(|error| no_answer(error.into()))?;
        let request = request.body(Full::from(body)).map_err(|error| no_answer(error.into()))?;
        let response = self.http.request(request).await.map_err(|error| no_answer(error.into()))?;
        let status = response.status();
        let body = response.into_body().collect().await.map_err(|error| no_answer(error.into()))?.to_bytes();
        if !status.is_success() {
            // Enough to see what is wrong, without a whole page of it.
            let text = String::from_utf8_lossy(&body).chars().take(200).collect();
            return Err(CallError::Status { url: url.to_owned(), status, text });
        }
        serde_json::from_slice(&body).map_err(|source| CallError::NotJson { url: url.to_owned(), source })
    }
}

impl CallError {
    /// The kind of error in one word, which may become an attribute.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::NoAnswer { .. } => "NoAnswer",
            Self::Status { .. } => "ErrorStatus",
            Self::NotJson { .. } => "NotJson",
        }
    }
}
