//! What both transports share: admission, the store, and the counts.

use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::HeaderMap;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceResponse;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::guard::{Token, check};
use super::refusal::Refusal;
use crate::decode::{Format, decode};
use crate::settings::Settings;
use crate::store::{Receipt, Store};

/// What a request is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    Metrics,
    /// Traces and logs: taken and thrown away, so that a process that exports them sees no errors.
    Other,
}

/// What a collector has been sent so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Requests of every kind, on both transports.
    pub requests: u64,
    /// Those of them that were refused as a whole: malformed, too long, too slow, too many at once.
    pub refused_requests: u64,
    /// Those of them that carried traces or logs and were thrown away.
    pub dropped_requests: u64,
    /// What became of the points of the others.
    pub points: Receipt,
    /// How many series are held.
    pub series: usize,
    /// How many bytes they occupy, as the limit counts them.
    pub bytes: usize,
}

/// What both transports share.
#[derive(Debug)]
pub(crate) struct Intake {
    store: Mutex<Store>,
    token: Option<Token>,
    permits: Semaphore,
    max_request_bytes: usize,
    request_timeout: Duration,
    requests: AtomicU64,
    refused: AtomicU64,
    dropped: AtomicU64,
}

impl Intake {
    pub(crate) fn new(settings: &Settings, store: Store) -> Self {
        Self {
            store: Mutex::new(store),
            token: settings.token.clone().filter(|_| settings.is_remote()),
            permits: Semaphore::new(settings.max_concurrent_requests.clamp(1, Semaphore::MAX_PERMITS)),
            max_request_bytes: settings.max_request_bytes,
            request_timeout: settings.request_timeout,
            requests: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
        }
    }

    /// The store. An observer that panics does not make it unusable: every point is held before it is shown.
    pub(crate) fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn counts(&self) -> Counts {
        let store = self.store();
        Counts {
            requests: self.requests.load(Ordering::Relaxed),
            refused_requests: self.refused.load(Ordering::Relaxed),
            dropped_requests: self.dropped.load(Ordering::Relaxed),
            points: store.receipt(),
            series: store.series(),
            bytes: store.bytes(),
        }
    }

    /// Whether the sender of these headers may send.
    pub(super) fn check(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        check(headers, self.token.as_ref())
    }

    pub(super) fn max_request_bytes(&self) -> usize {
        self.max_request_bytes
    }

    /// Does the work of one request when it is its turn.
    ///
    /// Waiting for a turn and the work itself may each take as long as the timeout says. The body is part of the work,
    /// so those who wait take up no more room than their connection does.
    pub(super) async fn admit<T>(&self, work: impl Future<Output = Result<T, Refusal>>) -> Result<T, Refusal> {
        self.note_request();
        let turn = timeout(self.request_timeout, self.permits.acquire()).await;
        let Ok(Ok(_permit)) = turn else { return Err(Refusal::Busy) };
        timeout(self.request_timeout, work).await.unwrap_or(Err(Refusal::Slow))
    }

    /// Takes in one body. The answer to traces and logs is the same empty message.
    pub(super) fn apply(
        &self,
        signal: Signal,
        body: &[u8],
        format: Format,
    ) -> Result<ExportMetricsServiceResponse, Refusal> {
        if signal == Signal::Other {
            self.dropped.fetch_add(1, Ordering::Relaxed);
            return Ok(ExportMetricsServiceResponse::default());
        }
        let request = decode(body, format, self.max_request_bytes)?;
        Ok(self.store().apply(request))
    }

    /// Counts a request that came.
    pub(super) fn note_request(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a request that was refused.
    pub(super) fn note_refusal(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }
}
