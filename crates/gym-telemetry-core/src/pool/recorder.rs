use std::sync::Arc;

use gym_telemetry_conventions::{attributes, metrics};
use opentelemetry::{KeyValue, metrics::Meter};

use super::{
    ClientRequest, DestinationRecorder, DestinationSnapshot,
    destination::{Destinations, Series},
};
use crate::{
    count::Level,
    report::{Report, signed},
    shard::{Shard, Sharded},
};

/// How many destinations have series of their own.
const DEFAULT_DESTINATION_LIMIT: usize = 100;

/// Counts the outbound calls of a process: `gym.http.connection_pool.*` and `gym.http.client.requests.in_flight`.
///
/// It outlives the clients that count with it: replacing a client keeps the totals.
///
/// # Example
///
/// ```
/// use gym_telemetry_conventions::QueueConstraint;
/// use gym_telemetry_core::PoolMetrics;
/// # use opentelemetry::metrics::MeterProvider as _;
/// # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
///
/// let pool = PoolMetrics::new(&meter);
/// let recorder = pool.recorder();
/// let model = recorder.destination("policy_model");
///
/// let call = recorder.begin();
/// model.attempt();
/// let waiting = model.queue(QueueConstraint::PerHost);
/// // … a slot is free …
/// waiting.granted();
/// model.connect().succeed();
/// assert_eq!(pool.in_flight(), 1);
/// drop(call); // the head has come
/// assert_eq!(pool.in_flight(), 0);
/// ```
#[derive(Debug, Clone)]
#[must_use = "dropping it ends its series"]
pub struct PoolMetrics {
    inner: Arc<Inner>,
}

/// What a client counts with.
#[derive(Debug)]
pub struct PoolRecorder {
    /// None when it is disabled.
    shard: Option<Shard<PoolShard>>,
}

#[derive(Debug)]
struct Inner {
    shards: Sharded<PoolShard>,
    destinations: Arc<Destinations>,
}

/// One thread's part of what is counted over all destinations, and the way to those.
#[derive(Debug)]
pub(super) struct PoolShard {
    pub(super) in_flight: Level,
    destinations: Arc<Destinations>,
}

impl PoolMetrics {
    /// A recorder whose series are reported through `meter`.
    pub fn new(meter: &Meter) -> Self {
        Self::with_destination_limit(meter, DEFAULT_DESTINATION_LIMIT)
    }

    /// The same, with series of their own for no more than `limit` destinations; calls to any other count as
    /// `external`. The default is 100.
    pub fn with_destination_limit(meter: &Meter, limit: usize) -> Self {
        let destinations = Arc::new(Destinations::new(meter, limit));
        let shard = || PoolShard { in_flight: Level::default(), destinations: Arc::clone(&destinations) };
        let inner = Arc::new(Inner { shards: Sharded::new(shard), destinations });
        let report = Report::new(meter, &inner);
        report.on_collection(|inner| inner.destinations.iter().for_each(Series::hand_over));
        report.counter(&metrics::HTTP_CONNECTION_POOL_CONNECT_TOTAL, |inner, observer| {
            for series in inner.destinations.iter() {
                let name = KeyValue::new(attributes::DESTINATION_SERVER_NAME.key, series.name().to_owned());
                observer.observe(series.attempts(), &[name]);
            }
        });
        report.up_down_counter(&metrics::HTTP_CLIENT_REQUESTS_IN_FLIGHT, |inner, observer| {
            observer.observe(signed(inner.in_flight()), &[]);
        });
        Self { inner }
    }

    /// What a client counts with.
    #[must_use]
    pub fn recorder(&self) -> PoolRecorder {
        PoolRecorder { shard: Some(self.inner.shards.local().clone()) }
    }

    /// Calls that wait for the head of their response.
    #[must_use]
    pub fn in_flight(&self) -> u64 {
        self.inner.in_flight()
    }

    /// What has been counted so far, for each destination that was called, sorted by name.
    #[must_use]
    pub fn destinations(&self) -> Vec<DestinationSnapshot> {
        let mut all: Vec<_> = self.inner.destinations.iter().map(DestinationSnapshot::read).collect();
        all.sort_by(|one, other| one.name.cmp(&other.name));
        all
    }
}

impl PoolRecorder {
    /// A recorder that counts nothing.
    #[must_use]
    pub fn disabled() -> Self {
        Self { shard: None }
    }

    /// What calls to one destination are counted with. `name` is a configured name, never a host from a request.
    #[must_use]
    pub fn destination(&self, name: &str) -> DestinationRecorder {
        DestinationRecorder::new(self.shard.as_ref().map(|shard| shard.destinations.get(name).shard()))
    }

    /// What calls that name no destination are counted with.
    #[must_use]
    pub fn external(&self) -> DestinationRecorder {
        self.destination(attributes::EXTERNAL_DESTINATION)
    }

    /// A call begins. It is in flight until the guard is dropped.
    #[inline]
    pub fn begin(&self) -> ClientRequest {
        ClientRequest::new(self.shard.as_ref().map(Shard::here))
    }
}

impl From<&PoolMetrics> for PoolRecorder {
    fn from(pool: &PoolMetrics) -> Self {
        pool.recorder()
    }
}

impl Clone for PoolRecorder {
    #[inline]
    fn clone(&self) -> Self {
        Self { shard: self.shard.as_ref().map(Shard::here) }
    }
}

impl Inner {
    fn in_flight(&self) -> u64 {
        Level::read(&self.shards, |shard| &shard.in_flight).1
    }
}
