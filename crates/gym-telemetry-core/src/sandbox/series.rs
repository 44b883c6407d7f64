use gym_telemetry_conventions::{attributes, metrics};
use opentelemetry::{KeyValue, metrics::Histogram};

use crate::{
    count::{Count, Level},
    histogram::{Buckets, Handover, Millis},
    shard::Sharded,
};

/// What is counted of one provider.
#[derive(Debug)]
pub(super) struct Series {
    pub(super) provider: Box<str>,
    pub(super) shards: Sharded<SandboxShard>,
    attributes: [KeyValue; 1],
    startup: Handover<Millis>,
    exec: Handover<Millis>,
}

/// One thread's part of it.
#[derive(Debug)]
pub(super) struct SandboxShard {
    pub(super) active: Level,
    pub(super) startup: Buckets<Millis>,
    pub(super) exec: Buckets<Millis>,
    pub(super) retries: Count,
}

impl Series {
    pub(super) fn new(provider: &str, startup: &Histogram<f64>, exec: &Histogram<f64>) -> Self {
        let attributes = [KeyValue::new(attributes::SANDBOX_PROVIDER.key, provider.to_owned())];
        Self {
            provider: provider.into(),
            shards: Sharded::new(SandboxShard::new),
            startup: Handover::new(startup.clone(), attributes.to_vec()),
            exec: Handover::new(exec.clone(), attributes.to_vec()),
            attributes,
        }
    }

    pub(super) fn attributes(&self) -> &[KeyValue] {
        &self.attributes
    }

    /// Hands the samples of every shard over to the histograms.
    pub(super) fn hand_over(&self) {
        self.startup.run(self.shards.iter().map(|shard| &shard.startup));
        self.exec.run(self.shards.iter().map(|shard| &shard.exec));
    }
}

impl SandboxShard {
    fn new() -> Self {
        Self {
            active: Level::default(),
            startup: Buckets::new(&metrics::SANDBOX_STARTUP_DURATION_MS),
            exec: Buckets::new(&metrics::SANDBOX_EXEC_DURATION_MS),
            retries: Count::default(),
        }
    }
}
