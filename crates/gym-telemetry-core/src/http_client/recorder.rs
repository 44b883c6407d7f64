use std::sync::Arc;

use gym_telemetry_conventions::metrics;
use opentelemetry::metrics::Meter;

use super::{
    HttpClientCall,
    key::{Host, Key},
};
use crate::{
    HttpMethod, HttpScheme,
    histogram::{Attributed, Seconds},
    report::Report,
    shard::{Shard, Sharded},
    table::Table,
};

/// How many combinations of attributes have a series of their own.
const DEFAULT_SERIES_LIMIT: usize = 1_000;

/// Reports outbound calls by the HTTP semantic conventions: `http.client.request.duration`.
///
/// # Example
///
/// ```
/// use gym_telemetry_core::{HttpClientMetrics, HttpMethod, HttpScheme, HttpVersion};
/// # use opentelemetry::metrics::MeterProvider as _;
/// # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
///
/// let http = HttpClientMetrics::new(&meter);
/// let mut call = http.recorder().begin(HttpMethod::Post, HttpScheme::Http, Some(("127.0.0.1", 8000)));
/// call.respond(200, HttpVersion::Http11);
/// drop(call); // its response has been read
/// ```
#[derive(Debug, Clone)]
#[must_use = "dropping it ends its series"]
pub struct HttpClientMetrics {
    inner: Arc<Inner>,
}

/// What a client counts with.
#[derive(Debug)]
pub struct HttpClientRecorder {
    shard: Shard<Arc<Calls>>,
}

#[derive(Debug)]
struct Inner {
    calls: Arc<Calls>,
    /// Each thread's way to them.
    shards: Sharded<Arc<Calls>>,
}

/// What is counted of calls.
#[derive(Debug)]
pub(super) struct Calls {
    hosts: Table<Host>,
    durations: Attributed<Key, Seconds>,
}

impl HttpClientMetrics {
    /// A recorder whose series are reported through `meter`.
    pub fn new(meter: &Meter) -> Self {
        Self::with_series_limit(meter, DEFAULT_SERIES_LIMIT)
    }

    /// The same, with series of their own for no more than `limit` combinations of attributes; calls beyond that count
    /// in one series, `otel.metric.overflow`, and hosts beyond that for `external`. The default is 1 000.
    pub fn with_series_limit(meter: &Meter, limit: usize) -> Self {
        let durations = Attributed::new(meter, &metrics::HTTP_CLIENT_REQUEST_DURATION, limit);
        let calls = Arc::new(Calls { hosts: Table::new(limit), durations });
        let shards = Sharded::new(|| Arc::clone(&calls));
        let inner = Arc::new(Inner { calls, shards });
        Report::new(meter, &inner).on_collection(|inner| inner.calls.durations.hand_over());
        Self { inner }
    }

    /// What a client counts with.
    #[must_use]
    pub fn recorder(&self) -> HttpClientRecorder {
        HttpClientRecorder { shard: self.inner.shards.local().clone() }
    }
}

impl HttpClientRecorder {
    /// A call begins. The name and port of its host are said if that is one of a few; a call to any other counts for
    /// `external`.
    pub fn begin(&self, method: HttpMethod, scheme: HttpScheme, host: Option<(&str, u16)>) -> HttpClientCall {
        let shard = self.shard.here();
        let host = host.and_then(|host| shard.place(host));
        HttpClientCall::new(shard, Key { method, scheme, host, response: None, error: Some("cancelled") })
    }
}

impl Calls {
    /// Where a host is among those that are known, if there is room for it.
    fn place(&self, host: (&str, u16)) -> Option<usize> {
        let (name, port) = host;
        self.hosts.index_or_insert(&host, |(known, at)| (&**known, *at) == host, || (name.into(), port))
    }

    /// A call has ended.
    pub(super) fn record(&self, key: Key, nanos: u64) {
        let host = || key.host.and_then(|place| self.hosts.get(place));
        self.durations.record(&key, nanos, |known| *known == key, || (key, key.attributes(host())));
    }
}

impl From<&HttpClientMetrics> for HttpClientRecorder {
    fn from(http: &HttpClientMetrics) -> Self {
        http.recorder()
    }
}

impl Clone for HttpClientRecorder {
    fn clone(&self) -> Self {
        Self { shard: self.shard.here() }
    }
}
