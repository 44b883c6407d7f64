use std::sync::Arc;

use gym_telemetry_conventions::{attributes, metrics};
use opentelemetry::{KeyValue, metrics::Meter};

use super::{
    RequestInFlight, RequestSettings, RequestSnapshot, routes::Routes, shard::RequestShard, snapshot::responses,
};
use crate::{
    count::Level,
    http_server::{HttpSeries, HttpShard},
    report::{Report, signed},
    shard::{Shard, Sharded},
};

/// Counts the requests of one server: `gym.server.requests.*` and `gym.server.responses_total`.
///
/// Keep it for as long as the server reports: dropping the last clone ends its series. Layers hold no more than the
/// counters. One meter carries one recorder of a kind: of two, a backend would see the one that is read last.
///
/// # Example
///
/// ```
/// use gym_telemetry_core::RequestMetrics;
/// use opentelemetry::metrics::MeterProvider as _;
/// use opentelemetry_sdk::metrics::SdkMeterProvider;
///
/// let provider = SdkMeterProvider::builder().build();
/// let requests = RequestMetrics::new(&provider.meter("example"));
///
/// let mut request = requests.recorder().begin();
/// request.respond(200);
/// assert_eq!(requests.snapshot().in_flight, 1);
/// request.finish();
/// assert_eq!((requests.snapshot().in_flight, requests.snapshot().responses[&200]), (0, 1));
/// ```
#[derive(Debug, Clone)]
#[must_use = "dropping it ends its series"]
pub struct RequestMetrics {
    inner: Arc<Inner>,
}

/// What a layer holds to count with. Cloning it, on any thread, never contends with another thread.
///
/// It can carry what the layer needs to know at the end of a request, its *context*, so that a request in flight need
/// not hold that too.
#[derive(Debug)]
pub struct RequestRecorder<C = ()> {
    shard: Option<Shard<Attached<C>>>,
}

/// The counters of one thread, and the context of a recorder beside them.
#[derive(Debug)]
pub(super) struct Attached<C> {
    pub(super) counts: Shard<RequestShard>,
    pub(super) context: C,
}

#[derive(Debug)]
struct Inner {
    shards: Sharded<RequestShard>,
    routes: Arc<Routes>,
    http: Option<Arc<HttpSeries>>,
    recorder: RequestRecorder,
}

impl RequestMetrics {
    /// A recorder whose series are reported through `meter`.
    pub fn new(meter: &Meter) -> Self {
        Self::with_settings(meter, RequestSettings::default())
    }

    /// The same, as the settings have it.
    pub fn with_settings(meter: &Meter, settings: RequestSettings) -> Self {
        let routes = Arc::new(Routes::new(settings.route_limit));
        let http = settings.http_series(meter).map(Arc::new);
        let http_shard = || http.as_ref().map(|series| HttpShard::new(Arc::clone(series)));
        let shards = Sharded::new(|| RequestShard::new(Arc::clone(&routes), http_shard()));
        let recorder = RequestRecorder { shard: Some(Attached::derive(shards.local(), ())) };
        let inner = Arc::new(Inner { shards, routes, http, recorder });
        let report = Report::new(meter, &inner);
        report_requests(&report);
        if inner.http.is_some() {
            report_http(&report);
        }
        Self { inner }
    }

    /// What a layer counts with.
    #[must_use]
    pub fn recorder(&self) -> RequestRecorder {
        self.inner.recorder.clone()
    }

    /// What has been counted so far.
    #[must_use]
    pub fn snapshot(&self) -> RequestSnapshot {
        RequestSnapshot::read(&self.inner.shards, &self.inner.routes)
    }
}

fn report_requests(report: &Report<'_, Inner>) {
    report.up_down_counter(&metrics::SERVER_REQUESTS_IN_FLIGHT, |inner, observer| {
        observer.observe(signed(Level::read(&inner.shards, |shard| &shard.in_flight).1), &[]);
    });
    report.counter(&metrics::SERVER_REQUESTS_CANCELLED_TOTAL, |inner, observer| {
        for (route, phase, count) in inner.routes.iter() {
            let route = KeyValue::new(attributes::HTTP_ROUTE.key, route.to_owned());
            observer.observe(count, &[route, KeyValue::new(attributes::REQUEST_PHASE.key, phase.as_str())]);
        }
    });
    report.counter(&metrics::SERVER_REQUESTS_UNHANDLED_EXCEPTIONS_TOTAL, |inner, observer| {
        observer.observe(inner.shards.sum(|shard| shard.unhandled.get() + shard.body_failed.get()), &[]);
    });
    report.counter(&metrics::SERVER_RESPONSES_TOTAL, |inner, observer| {
        for (status, count) in responses(&inner.shards) {
            let status = KeyValue::new(attributes::HTTP_RESPONSE_STATUS_CODE.key, i64::from(status));
            observer.observe(count, &[status]);
        }
    });
}

fn report_http(report: &Report<'_, Inner>) {
    report.on_collection(|inner| inner.http.iter().for_each(|http| http.hand_over(|| inner.http_shards())));
    report.up_down_counter(&metrics::HTTP_SERVER_ACTIVE_REQUESTS, |inner, observer| {
        HttpShard::observe_active(|| inner.http_shards(), observer);
    });
}

impl Inner {
    fn http_shards(&self) -> impl Iterator<Item = &HttpShard> {
        self.shards.iter().filter_map(|shard| shard.http.as_ref())
    }
}

impl RequestRecorder {
    /// A recorder that counts nothing.
    #[must_use]
    pub fn disabled() -> Self {
        Self { shard: None }
    }
}

impl<C> RequestRecorder<C> {
    /// The same recorder with another context, of which each thread gets a clone.
    ///
    /// The clones live as long as the [`RequestMetrics`]: this is for the building of a layer, not for each request.
    #[must_use]
    pub fn with_context<D: Clone + Send + Sync + 'static>(&self, context: D) -> RequestRecorder<D> {
        RequestRecorder { shard: self.shard.as_ref().map(|shard| Attached::derive(&shard.counts, context)) }
    }

    /// The context; nothing when the recorder is disabled.
    #[must_use]
    pub fn context(&self) -> Option<&C> {
        self.shard.as_ref().map(|shard| &shard.context)
    }

    /// A request came in.
    #[inline]
    pub fn begin(&self) -> RequestInFlight<C> {
        let mut request = RequestInFlight::default();
        self.begin_in(&mut request);
        request
    }

    /// The same, in the place of one that has ended. One that has not is cancelled.
    ///
    /// A layer that keeps such places saves two atomic operations a request, if the last one there was of this recorder
    /// and on this thread. They keep the memory of the counters alive, but not the series.
    #[inline]
    pub fn begin_in(&self, place: &mut RequestInFlight<C>) {
        place.begin(self.shard.as_ref());
    }
}

impl From<&RequestMetrics> for RequestRecorder {
    fn from(requests: &RequestMetrics) -> Self {
        requests.recorder()
    }
}

impl<C> Clone for RequestRecorder<C> {
    #[inline]
    fn clone(&self) -> Self {
        Self { shard: self.shard.as_ref().map(Shard::here) }
    }
}

impl<C: Clone + Send + Sync + 'static> Attached<C> {
    fn derive(counts: &Shard<RequestShard>, context: C) -> Shard<Self> {
        counts.derive(|counts| Self { counts: counts.clone(), context: context.clone() })
    }
}
