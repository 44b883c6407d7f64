use quanta::Instant;

use super::{BytesReceived, HttpRequest, HttpShard, key::Key, shard::Sizes};
use crate::nanos::nanos;

/// A request that is under way, as the HTTP conventions see it.
#[derive(Debug)]
pub(crate) struct Followed {
    request: HttpRequest,
    began: Instant,
    /// What counts the bytes of the request's body.
    received: Option<BytesReceived>,
    /// The request has no body, so that there is nothing to count.
    is_empty: bool,
    sent: u64,
}

impl Followed {
    #[inline]
    pub(crate) fn begin(shard: &HttpShard, request: HttpRequest) -> Self {
        shard.active(request.method, request.scheme).enter();
        Self { request, began: Instant::now(), received: None, is_empty: false, sent: 0 }
    }

    /// What the bytes of the request's body are to be counted with.
    pub(crate) fn receive(&mut self, shard: &HttpShard) -> BytesReceived {
        let received = shard.receive();
        self.received = Some(received.clone());
        received
    }

    /// The request has no body.
    #[inline]
    pub(crate) fn receive_nothing(&mut self) {
        self.is_empty = true;
    }

    /// So many bytes of the response's body went out.
    #[inline]
    pub(crate) fn send(&mut self, bytes: u64) {
        self.sent += bytes;
    }

    /// The request ended, with what `key` makes of what it was.
    #[inline]
    pub(crate) fn end(self, shard: &HttpShard, key: impl FnOnce(HttpRequest) -> Key, route: &str) {
        let Self { request, began, received, is_empty, sent } = self;
        let received = match received {
            Some(received) => Some(shard.received(received)),
            None => is_empty.then_some(0),
        };
        shard.record(key(request), route, nanos(began.elapsed()), Sizes { received, sent });
        shard.active(request.method, request.scheme).leave();
    }
}
