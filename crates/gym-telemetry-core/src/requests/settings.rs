use opentelemetry::metrics::Meter;

use crate::http_server::HttpSeries;

/// What a [`RequestMetrics`](super::RequestMetrics) is to report, and how much of it at the most.
///
/// # Example
///
/// ```
/// use gym_telemetry_core::{HttpConventions, RequestMetrics, RequestSettings};
/// # use opentelemetry::metrics::MeterProvider as _;
/// # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
///
/// let settings = RequestSettings::default().http(HttpConventions::Stable);
/// let requests = RequestMetrics::with_settings(&meter, settings);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "settings do nothing until a recorder is made with them"]
pub struct RequestSettings {
    pub(super) route_limit: usize,
    pub(super) http: HttpConventions,
    pub(super) http_series_limit: usize,
}

/// Whether requests are reported by OpenTelemetry's HTTP semantic conventions too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum HttpConventions {
    /// No.
    #[default]
    Off,
    /// As `http.server.request.duration`, `http.server.active_requests`, `http.server.request.body.size` and
    /// `http.server.response.body.size`.
    Stable,
    /// So, and for dashboards that still use them by the names of old: `http.server.duration` in milliseconds,
    /// `http.server.request.size` and `http.server.response.size`, with the route in `http.target`.
    StableAndOld,
}

impl RequestSettings {
    /// Whether to report by the HTTP semantic conventions too. Off by default.
    pub fn http(mut self, http: HttpConventions) -> Self {
        self.http = http;
        self
    }

    /// How many route templates are told apart; every other counts as `<unmatched>`. The default is 1 000.
    pub fn route_limit(mut self, limit: usize) -> Self {
        self.route_limit = limit;
        self
    }

    /// How many combinations of attributes `http.server.*` may have; all others share one series, in which
    /// `otel.metric.overflow` is true. A quarter is for requests that match no route, so that these cannot take the
    /// place of the routes. The default is 1 500.
    pub fn http_series_limit(mut self, limit: usize) -> Self {
        self.http_series_limit = limit;
        self
    }

    /// The series of the HTTP conventions, if they are on.
    pub(super) fn http_series(self, meter: &Meter) -> Option<HttpSeries> {
        match self.http {
            HttpConventions::Off => None,
            HttpConventions::Stable => Some(HttpSeries::new(meter, self.http_series_limit)),
            HttpConventions::StableAndOld => Some(HttpSeries::with_old_names(meter, self.http_series_limit)),
        }
    }
}

impl Default for RequestSettings {
    fn default() -> Self {
        Self { route_limit: 1_000, http: HttpConventions::Off, http_series_limit: 1_500 }
    }
}
