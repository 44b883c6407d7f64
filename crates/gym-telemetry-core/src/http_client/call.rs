use std::{sync::Arc, time::Instant};

use super::{key::Key, recorder::Calls};
use crate::{HttpVersion, nanos::nanos, shard::Shard};

/// A call that is under way, until this is dropped: then it is one sample of `http.client.request.duration`.
///
/// Dropped before its response has come, it was `cancelled`.
#[derive(Debug)]
#[must_use = "dropping it ends the call"]
pub struct HttpClientCall {
    shard: Shard<Arc<Calls>>,
    key: Key,
    since: Instant,
}

impl HttpClientCall {
    pub(super) fn new(shard: Shard<Arc<Calls>>, key: Key) -> Self {
        Self { shard, key, since: Instant::now() }
    }

    /// The head of the response has come. From 400 on, its status is an error.
    pub fn respond(&mut self, status: u16, version: HttpVersion) {
        self.key.response = Some((status, version));
        self.key.error = None;
    }

    /// The call, or the body of its response, failed for a reason with a name, which is one of a few.
    pub fn fail(mut self, error: &'static str) {
        self.key.error = Some(error);
    }
}

impl Drop for HttpClientCall {
    fn drop(&mut self) {
        self.shard.here().record(self.key, nanos(self.since.elapsed()));
    }
}
