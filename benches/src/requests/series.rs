//! Ten thousand series of the HTTP conventions: through a recorder of ours, and in the SDK alone.

use gym_telemetry::{
    HttpConventions, HttpMethod, HttpRequest, HttpScheme, HttpVersion, RequestMetrics, RequestRecorder, RequestSettings,
};
use opentelemetry::{KeyValue, metrics::MeterProvider as _};
use opentelemetry_sdk::metrics::{
    SdkMeterProvider,
    data::{AggregatedMetrics, Histogram, MetricData, ResourceMetrics, ScopeMetrics},
};

use super::reader::{Reader, provider};

/// Routes and statuses of the requests; each of their kinds has a series of durations and two of sizes.
const ROUTES: u16 = 34;
const STATUSES: u16 = 98;
pub(super) const SERIES: usize = ROUTES as usize * STATUSES as usize * 3;

/// A recorder of that many series, and what collects them.
pub(super) struct Many {
    pub(super) recorder: RequestRecorder,
    pub(super) reader: Reader,
    _requests: RequestMetrics,
    _provider: SdkMeterProvider,
}

impl Many {
    pub(super) fn new() -> Self {
        let reader = Reader::default();
        let provider = provider(&reader);
        let settings = RequestSettings::default().http(HttpConventions::Stable).http_series_limit(2 * SERIES);
        let requests = RequestMetrics::with_settings(&provider.meter("bench"), settings);
        Self { recorder: requests.recorder(), reader, _requests: requests, _provider: provider }
    }

    /// One request of each kind.
    pub(super) fn record(&self) {
        let request = HttpRequest { method: HttpMethod::Post, scheme: HttpScheme::Http, version: HttpVersion::Http11 };
        for route in 0..ROUTES {
            let route = format!("/routes/{route}/{{id}}");
            for status in 200..200 + STATUSES {
                let mut in_flight = self.recorder.begin();
                in_flight.follow(|| request);
                in_flight.set_route(&route);
                in_flight.receive_nothing();
                in_flight.respond(status);
                in_flight.send(2);
                in_flight.finish();
            }
        }
    }
}

/// The SDK's own histograms, with the series that a collection had.
pub(super) struct Sdk {
    pub(super) reader: Reader,
    _provider: SdkMeterProvider,
}

impl Sdk {
    pub(super) fn like(collected: &ResourceMetrics) -> Self {
        let reader = Reader::default();
        let provider = provider(&reader);
        let meter = provider.meter("sdk");
        for metric in collected.scope_metrics().flat_map(ScopeMetrics::metrics) {
            match metric.data() {
                AggregatedMetrics::F64(MetricData::Histogram(seen)) => {
                    let own = |bounds| meter.f64_histogram(metric.name().to_owned()).with_boundaries(bounds).build();
                    record(seen, own, |own, attributes| own.record(1.0, attributes));
                }
                AggregatedMetrics::U64(MetricData::Histogram(seen)) => {
                    let own = |bounds| meter.u64_histogram(metric.name().to_owned()).with_boundaries(bounds).build();
                    record(seen, own, |own, attributes| own.record(1, attributes));
                }
                _ => {}
            }
        }
        Self { reader, _provider: provider }
    }
}

/// Gives each series of a histogram a sample in another.
fn record<T, H>(seen: &Histogram<T>, own: impl Fn(Vec<f64>) -> H, record: impl Fn(&H, &[KeyValue])) {
    let bounds = seen.data_points().next().map(|point| point.bounds().collect());
    let own = own(bounds.unwrap_or_default());
    for point in seen.data_points() {
        record(&own, &point.attributes().cloned().collect::<Vec<_>>());
    }
}
