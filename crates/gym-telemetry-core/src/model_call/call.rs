use std::{thread, time::Instant};

use gym_telemetry_conventions::TokenType;

use super::{finish, series::CallShard};
use crate::shard::Shard;

/// The category of a call that was dropped before it ended.
const CANCELLED: &str = "cancelled";

/// The category of a call that a panic ended.
const EXCEPTION: &str = "exception";

/// One call of a model, until it ends or is dropped.
///
/// Dropped without [`succeed`](Self::succeed) or [`fail`](Self::fail), it counts as `exception` if a panic drops it,
/// and as `cancelled` otherwise. What the model told before any of these ends is recorded with it.
#[derive(Debug)]
#[must_use = "dropping it counts the call as cancelled"]
pub struct ModelCall {
    shard: Shard<CallShard>,
    since: Instant,
    first_chunk: Option<Instant>,
    tokens: [Option<u64>; TokenType::ALL.len()],
    finish: Option<usize>,
    ended: bool,
    /// A panic that was under way before is not the call's own.
    began_in_panic: bool,
}

impl ModelCall {
    pub(super) fn new(shard: Shard<CallShard>) -> Self {
        Self {
            shard,
            since: Instant::now(),
            first_chunk: None,
            tokens: Default::default(),
            finish: None,
            ended: false,
            began_in_panic: thread::panicking(),
        }
    }

    /// A chunk of a streamed answer came. Only the first counts; an answer that is not streamed has none.
    pub fn chunk(&mut self) {
        if self.first_chunk.is_none() {
            self.first_chunk = Some(Instant::now());
        }
    }

    /// The provider told a number of tokens. A stream may tell it again and again: the last word counts.
    pub fn tokens(&mut self, token: TokenType, count: u64) {
        self.tokens[token.index()] = Some(count);
    }

    /// The provider told why the model stopped. What is in no provider's vocabulary counts as `other`.
    pub fn finish_reason(&mut self, reason: &str) {
        self.finish = Some(finish::index(reason));
    }

    /// The answer is there, whole.
    pub fn succeed(mut self) {
        self.end(None);
    }

    /// The call failed, in a way that a bare identifier names, such as `upstream_error`. Other text counts as `other`;
    /// so do `ok`, which is no failure, and what exceeds the limit of categories.
    pub fn fail(mut self, category: &str) {
        self.end(Some(category));
    }

    fn end(&mut self, failure: Option<&str>) {
        self.ended = true;
        let shard = self.shard.here();
        let took = self.since.elapsed();
        match failure {
            None => shard.duration.record_duration(took),
            Some(category) => shard.failures.of(category).duration.local().record_duration(took),
        }
        if let Some(first) = self.first_chunk {
            shard.ttft.record_duration(first.saturating_duration_since(self.since));
        }
        for (buckets, count) in shard.tokens.iter().zip(self.tokens) {
            count.into_iter().for_each(|count| buckets.record(count));
        }
        if let Some(reason) = self.finish {
            shard.finished[reason].add(1);
        }
    }
}

impl Drop for ModelCall {
    fn drop(&mut self) {
        if !self.ended {
            let panicked = thread::panicking() && !self.began_in_panic;
            self.end(Some(if panicked { EXCEPTION } else { CANCELLED }));
        }
    }
}
