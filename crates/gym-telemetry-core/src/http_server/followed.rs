use quanta::Instant;

use super::{BytesReceived, HttpRequest, HttpShard, key::Key, shard::Sizes};
use crate::histogram::nanos;

/// A request that is under way, as the HTTP conventions see it.
#[derive(Debug)]
pub(crate) struct Followed {
    request: HttpRequest,
    began: Instant,
    received: Received,
    sent: u64,
}

/// How much of the request's body was read.
#[derive(Debug)]
enum Received {
    Unknown,
    Nothing,
    Counted(BytesReceived),
}

impl Followed {
    #[inline]
    pub(crate) fn begin(shard: &HttpShard, request: HttpRequest) -> Self {
        shard.active(request.method, request.scheme).enter();
        Self { request, began: Instant::now(), received: Received::Unknown, sent: 0 }
    }

    /// What the bytes of the request's body are to be counted with.
    pub(crate) fn receive(&mut self, shard: &HttpShard) -> BytesReceived {
        let received = shard.receive();
        self.received = Received::Counted(received.clone());
        received
    }

    /// The request has no body.
    #[inline]
    pub(crate) fn receive_nothing(&mut self) {
        self.received = Received::Nothing;
    }

    /// So many bytes of the response's body went out.
    #[inline]
    pub(crate) fn send(&mut self, bytes: u64) {
        self.sent += bytes;
    }

    /// The request ended, with what `key` makes of what it was.
    #[inline]
    pub(crate) fn end(self, shard: &HttpShard, key: impl FnOnce(HttpRequest) -> Key, route: &str) {
        let Self { request, began, received, sent } = self;
        let received = match received {
            Received::Unknown => None,
            Received::Nothing => Some(0),
            Received::Counted(received) => Some(shard.received(received)),
        };
        shard.record(key(request), route, nanos(began.elapsed()), Sizes { received, sent });
        shard.active(request.method, request.scheme).leave();
    }
}
