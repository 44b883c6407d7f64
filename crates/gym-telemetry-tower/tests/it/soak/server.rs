use std::{io, panic::resume_unwind, sync::Arc};

use axum::{
    body::Body,
    extract::{Path, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _, stream};
use gym_telemetry_tower::MeteredRouter;
use tokio::sync::Semaphore;

/// What a body of the server's holds before it stops, breaks or panics.
pub(super) const PART: &str = "a part of a body, and nothing after it";

/// Tells each client that a handler waits for it.
pub(super) struct Gates(Vec<Semaphore>);

impl Gates {
    pub(super) fn new(clients: usize) -> Arc<Self> {
        Arc::new(Self((0..clients).map(|_| Semaphore::new(0)).collect()))
    }

    pub(super) async fn entered(&self, client: usize) {
        self.0[client].acquire().await.unwrap().forget();
    }
}

pub(super) fn routes(gates: &Arc<Gates>) -> MeteredRouter {
    MeteredRouter::new()
        .route("/items/{id}", get(async |Path(id): Path<u64>| id.to_string()))
        .route("/status/{status}", get(async |Path(status): Path<u16>| StatusCode::from_u16(status).unwrap()))
        .route("/echo", post(async |body: Bytes| body))
        .route("/hold/{client}", get(hold))
        .route("/stream", get(async || part_and(stream::pending())))
        .route("/sized", get(sized))
        .route("/panic", get(panic))
        .route("/error-in-body", get(async || part_and(stream::iter([Err(io::Error::other("broken"))]))))
        .route("/panic-in-body", get(panic_in_body))
        .map(|router| router.with_state(Arc::clone(gates)))
}

fn part_and(rest: impl Stream<Item = io::Result<Bytes>> + Send + 'static) -> Body {
    Body::from_stream(stream::iter([Ok(Bytes::from(PART))]).chain(rest))
}

async fn hold(State(gates): State<Arc<Gates>>, Path(client): Path<usize>) -> Response {
    gates.0[client].add_permits(1);
    std::future::pending().await
}

/// A stream after whose declared length nobody may ask for more.
async fn sized() -> Response {
    ([(header::CONTENT_LENGTH, PART.len())], part_and(stream::pending())).into_response()
}

/// Panics without a word on standard error.
async fn panic() -> Response {
    resume_unwind(Box::new("in the handler"))
}

async fn panic_in_body() -> Body {
    part_and(stream::once(async { resume_unwind(Box::new("in the body")) }))
}
