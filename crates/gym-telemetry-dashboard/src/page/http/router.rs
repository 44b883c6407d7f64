use std::sync::Arc;

use axum::{Router, middleware, routing::get};
use tokio::sync::{Semaphore, watch};

use super::{api, events, exposition, guard, pages};
use crate::page::Source;

/// How many browsers may follow the page at once.
const FOLLOWERS: usize = 64;

/// What every route has at hand.
#[derive(Debug, Clone)]
pub(super) struct Shared {
    pub(super) source: Source,
    pub(super) token: Option<Arc<str>>,
    /// Hears when the page is to end.
    pub(super) stopped: watch::Receiver<()>,
    pub(super) followers: Arc<Semaphore>,
}

/// Every route.
pub(in crate::page) fn router(source: Source, token: Option<String>, stopped: watch::Receiver<()>) -> Router {
    let followers = Arc::new(Semaphore::new(FOLLOWERS));
    let shared = Shared { source, token: token.map(Arc::from), stopped, followers };
    Router::new()
        .route("/", get(pages::fleet))
        .route("/{view}", get(pages::view))
        .route("/assets/{name}", get(pages::asset))
        .route("/api/v1/views/{name}", get(api::view))
        .route("/api/v1/events/{name}", get(events::follow))
        .route("/api/v1/query", get(api::query))
        .route("/api/v1/metrics", get(api::all_metrics))
        .route("/api/v1/processes", get(api::processes))
        .route("/api/v1/findings", get(api::findings))
        .route("/api/v1/otlp", get(api::otlp))
        .route("/metrics", get(exposition::metrics))
        .route("/healthz", get(pages::healthy))
        .fallback(pages::nothing)
        .layer(middleware::from_fn_with_state(shared.clone(), guard::guard))
        .with_state(shared)
}
