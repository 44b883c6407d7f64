use gym_telemetry_core::PoolMetrics;
use opentelemetry::metrics::Meter;

use super::testing::Reader;

const DESTINATION: &str = "nemo.gym.http.destination.server.name";

/// Telemetry of its own, as a backend sees it.
pub(crate) struct Accounts {
    reader: Reader,
    pool: PoolMetrics,
}

impl Accounts {
    pub(crate) fn new() -> Self {
        let reader = Reader::new();
        let pool = PoolMetrics::new(&reader.meter());
        Self { reader, pool }
    }

    /// `http.client.request.duration`: how many calls had these attributes.
    pub(crate) fn http_calls(&self, method: &str, address: &str, more: &[(&str, &str)]) -> u64 {
        let call = [("http.request.method", method), ("url.scheme", "http"), ("server.address", address)];
        let seen = self.reader.collect().histogram("http.client.request.duration", &[&call, more].concat());
        seen.map_or(0, |(count, _)| count)
    }

    pub(crate) fn meter(&self) -> Meter {
        self.reader.meter()
    }

    pub(crate) fn pool(&self) -> &PoolMetrics {
        &self.pool
    }

    /// `connect_total` of the default destination.
    pub(crate) fn attempts(&self) -> u64 {
        self.attempts_of("policy_model")
    }

    pub(crate) fn attempts_of(&self, destination: &str) -> u64 {
        let seen = self.reader.collect();
        seen.value("gym.http.connection_pool.connect_total", &[(DESTINATION, destination)]).unwrap_or_default() as u64
    }

    /// How many destinations there are.
    pub(crate) fn destinations(&self) -> usize {
        self.reader.collect().series("gym.http.connection_pool.connect_total")
    }

    /// The waits of the default destination, by constraint and outcome, as in `[("per_host", "ok", 1)]`.
    pub(crate) fn waits(&self) -> Vec<(&'static str, &'static str, u64)> {
        let seen = self.reader.collect();
        let count = |constraint, outcome| {
            let attributes = [
                ("nemo.gym.http.connection_pool.queue_constraint", constraint),
                ("nemo.gym.http.connection_pool.queue_outcome", outcome),
                (DESTINATION, "policy_model"),
            ];
            let (count, _) = seen.histogram("gym.http.connection_pool.queue_duration_ms", &attributes)?;
            Some((constraint, outcome, count))
        };
        let constraints = ["total", "per_host", "unknown"];
        constraints.iter().flat_map(|c| ["ok", "abandoned"].iter().filter_map(|o| count(*c, *o))).collect()
    }

    /// New connections of the default destination that stand and that failed.
    pub(crate) fn connects(&self) -> (u64, u64) {
        let seen = self.reader.collect();
        let count = |outcome| {
            let attributes =
                [("nemo.gym.http.connection_pool.connect_outcome", outcome), (DESTINATION, "policy_model")];
            seen.histogram("gym.http.connection_pool.connect_duration_ms", &attributes).map_or(0, |seen| seen.0)
        };
        (count("ok"), count("failed"))
    }

    pub(crate) fn in_flight(&self) -> f64 {
        self.reader.collect().value("gym.http.client.requests.in_flight", &[]).expect("it is always reported")
    }
}
