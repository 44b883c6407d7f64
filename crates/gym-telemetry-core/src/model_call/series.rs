use std::sync::Arc;

use gym_telemetry_conventions::{
    Attribute, Dialect, TokenType,
    attributes::{self, MODEL_CALL_OK},
    metrics,
};
use opentelemetry::{
    KeyValue,
    metrics::{Histogram, Meter},
};

use super::{failures::Failures, finish};
use crate::{
    count::Count,
    histogram::{Amount, Buckets, Handover, Measure as _, Millis},
    shard::Sharded,
};

/// The histograms that all dialects share.
#[derive(Debug)]
pub(super) struct Histograms {
    duration: Histogram<f64>,
    ttft: Histogram<f64>,
    tokens: Histogram<u64>,
}

/// What is counted of the calls in one dialect.
#[derive(Debug)]
pub(super) struct Series {
    pub(super) shards: Sharded<CallShard>,
    identity: Vec<KeyValue>,
    duration: Handover<Millis>,
    ttft: Handover<Millis>,
    /// By token type.
    tokens: Vec<Handover<Amount>>,
    failures: Arc<Failures>,
}

/// One thread's part of it.
#[derive(Debug)]
pub(super) struct CallShard {
    /// Of calls that failed in no way.
    pub(super) duration: Buckets<Millis>,
    pub(super) ttft: Buckets<Millis>,
    /// By token type.
    pub(super) tokens: [Buckets<Amount>; TokenType::ALL.len()],
    /// By [`finish::index`].
    pub(super) finished: [Count; finish::COUNT],
    /// Failures are rare and of many kinds, so all threads share their table.
    pub(super) failures: Arc<Failures>,
}

impl Histograms {
    pub(super) fn new(meter: &Meter) -> Self {
        Self {
            duration: Millis::build(meter, &metrics::MODEL_CALL_DURATION_MS),
            ttft: Millis::build(meter, &metrics::MODEL_CALL_TTFT_MS),
            tokens: Amount::build(meter, &metrics::MODEL_CALL_TOKENS),
        }
    }
}

impl Series {
    pub(super) fn new(server: &str, dialect: Dialect, histograms: &Histograms, category_limit: usize) -> Self {
        let identity = vec![
            KeyValue::new(attributes::SERVER_NAME.key, server.to_owned()),
            KeyValue::new(attributes::MODEL_CALL_DIALECT.key, dialect.as_str()),
        ];
        let failures = Arc::new(Failures::new(&histograms.duration, &identity, category_limit));
        let ok = with(&identity, attributes::MODEL_CALL_OUTCOME, MODEL_CALL_OK);
        let of_type = |token: &TokenType| {
            let attributes = with(&identity, attributes::MODEL_CALL_TOKEN_TYPE, token.as_str());
            Handover::new(histograms.tokens.clone(), attributes)
        };
        Self {
            shards: Sharded::new(|| CallShard::new(Arc::clone(&failures))),
            duration: Handover::new(histograms.duration.clone(), ok),
            ttft: Handover::new(histograms.ttft.clone(), identity.clone()),
            tokens: TokenType::ALL.iter().map(of_type).collect(),
            failures,
            identity,
        }
    }

    /// Hands the samples of every shard over to the histograms.
    pub(super) fn hand_over(&self) {
        self.duration.run(self.shards.iter().map(|shard| &shard.duration));
        self.ttft.run(self.shards.iter().map(|shard| &shard.ttft));
        for (token, handover) in self.tokens.iter().enumerate() {
            handover.run(self.shards.iter().map(|shard| &shard.tokens[token]));
        }
        self.failures.hand_over();
    }

    /// How often calls ended for each reason that occurred, with the attributes of its series.
    pub(super) fn finished(&self) -> impl Iterator<Item = (u64, Vec<KeyValue>)> {
        let counts = (0..finish::COUNT).map(|index| (index, self.shards.sum(|shard| shard.finished[index].get())));
        counts.filter(|(_, count)| *count > 0).map(|(index, count)| {
            (count, with(&self.identity, attributes::MODEL_CALL_FINISH_REASON, finish::reason(index)))
        })
    }
}

impl CallShard {
    fn new(failures: Arc<Failures>) -> Self {
        Self {
            duration: Buckets::new(&metrics::MODEL_CALL_DURATION_MS),
            ttft: Buckets::new(&metrics::MODEL_CALL_TTFT_MS),
            tokens: std::array::from_fn(|_| Buckets::new(&metrics::MODEL_CALL_TOKENS)),
            finished: std::array::from_fn(|_| Count::default()),
            failures,
        }
    }
}

/// A series' attributes: its identity and one more.
pub(super) fn with(identity: &[KeyValue], attribute: Attribute, value: &str) -> Vec<KeyValue> {
    [identity, &[KeyValue::new(attribute.key, value.to_owned())]].concat()
}
