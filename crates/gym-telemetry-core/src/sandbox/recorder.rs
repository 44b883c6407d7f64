use std::sync::{Arc, OnceLock};

use gym_telemetry_conventions::metrics;
use opentelemetry::metrics::{Histogram, Meter};

use super::{
    Sandbox, SandboxStart,
    series::{SandboxShard, Series},
};
use crate::{
    count::{Count, Level},
    histogram::{Measure as _, Millis},
    report::{Report, signed},
    shard::Shard,
    table::Table,
};

/// How many providers have series of their own.
const DEFAULT_PROVIDER_LIMIT: usize = 100;

/// What providers beyond that are called.
const OTHER: &str = "<other>";

/// Counts the sandboxes that this process holds: `gym.sandbox.*`.
///
/// # Example
///
/// ```
/// use gym_telemetry_core::SandboxMetrics;
/// # use opentelemetry::metrics::MeterProvider as _;
/// # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
///
/// let sandboxes = SandboxMetrics::new(&meter);
/// let docker = sandboxes.provider("docker");
///
/// let start = docker.start();
/// start.retry(); // the first attempt failed
/// let sandbox = start.started(); // active from here
/// let command = sandbox.exec();
/// // … run the command …
/// drop(command);
/// sandbox.stop();
/// ```
#[derive(Debug, Clone)]
#[must_use = "dropping it ends its series"]
pub struct SandboxMetrics {
    inner: Arc<Inner>,
}

/// What is counted of the sandboxes of one provider. Keep it: it costs a look-up to get.
#[derive(Debug, Clone)]
pub struct SandboxProvider {
    shard: Shard<SandboxShard>,
}

#[derive(Debug)]
struct Inner {
    startup: Histogram<f64>,
    exec: Histogram<f64>,
    providers: Table<Series>,
    other: OnceLock<Series>,
}

impl SandboxMetrics {
    /// A recorder whose series are reported through `meter`.
    pub fn new(meter: &Meter) -> Self {
        Self::with_provider_limit(meter, DEFAULT_PROVIDER_LIMIT)
    }

    /// The same, with series of their own for no more than `limit` providers; the default is 100.
    pub fn with_provider_limit(meter: &Meter, limit: usize) -> Self {
        let inner = Arc::new(Inner {
            startup: Millis::build(meter, &metrics::SANDBOX_STARTUP_DURATION_MS),
            exec: Millis::build(meter, &metrics::SANDBOX_EXEC_DURATION_MS),
            providers: Table::new(limit),
            other: OnceLock::new(),
        });
        let report = Report::new(meter, &inner);
        report.on_collection(|inner| inner.iter().for_each(Series::hand_over));
        report.up_down_counter(&metrics::SANDBOX_ACTIVE, |inner, observer| {
            for series in inner.iter() {
                let (started, active) = Level::read(&series.shards, |shard| &shard.active);
                if started > 0 {
                    observer.observe(signed(active), series.attributes());
                }
            }
        });
        report.counter(&metrics::SANDBOX_CREATE_RETRY_TOTAL, |inner, observer| {
            for series in inner.iter() {
                let retries = series.shards.sum(|shard| Count::get(&shard.retries));
                if retries > 0 {
                    observer.observe(retries, series.attributes());
                }
            }
        });
        Self { inner }
    }

    /// What is counted of the provider with this configured name.
    #[must_use]
    pub fn provider(&self, name: &str) -> SandboxProvider {
        let Inner { startup, exec, providers, other } = &*self.inner;
        let own =
            providers.get_or_insert(name, |series| *series.provider == *name, || Series::new(name, startup, exec));
        let series = own.unwrap_or_else(|| other.get_or_init(|| Series::new(OTHER, startup, exec)));
        SandboxProvider { shard: series.shards.local().clone() }
    }
}

impl SandboxProvider {
    /// The provisioning of a sandbox begins.
    pub fn start(&self) -> SandboxStart {
        SandboxStart::new(self.shard.here())
    }

    /// A sandbox that someone else started and will release: its commands are timed, and it counts as active there.
    pub fn adopt(&self) -> Sandbox {
        Sandbox::adopted(self.shard.here())
    }
}

impl Inner {
    fn iter(&self) -> impl Iterator<Item = &Series> {
        self.providers.iter().chain(self.other.get())
    }
}
