//! What the conventions crate does not say: bucket boundaries that the SDK would choose, and names from before the
//! conventions were stable.

use gym_telemetry_conventions::{Instrument, metrics};

/// The boundaries that OpenTelemetry gives a histogram that asks for none.
const DEFAULT_BOUNDARIES: &[f64] =
    &[0.0, 5.0, 10.0, 25.0, 50.0, 75.0, 100.0, 250.0, 500.0, 750.0, 1000.0, 2500.0, 5000.0, 7500.0, 10000.0];

/// `http.server.request.body.size`.
pub(super) static REQUEST_BODY_SIZE: Instrument = with_default_boundaries(metrics::HTTP_SERVER_REQUEST_BODY_SIZE);

/// `http.server.response.body.size`.
pub(super) static RESPONSE_BODY_SIZE: Instrument = with_default_boundaries(metrics::HTTP_SERVER_RESPONSE_BODY_SIZE);

/// `http.server.duration`, in milliseconds.
pub(super) static OLD_DURATION: Instrument = {
    let mut old = with_default_boundaries(metrics::HTTP_SERVER_REQUEST_DURATION);
    (old.name, old.unit) = ("http.server.duration", "ms");
    old
};

/// `http.server.request.size`.
pub(super) static OLD_REQUEST_SIZE: Instrument = renamed(REQUEST_BODY_SIZE, "http.server.request.size");

/// `http.server.response.size`.
pub(super) static OLD_RESPONSE_SIZE: Instrument = renamed(RESPONSE_BODY_SIZE, "http.server.response.size");

/// The keys of attributes that had other names.
pub(super) mod old {
    pub(in super::super) const METHOD: &str = "http.method";
    pub(in super::super) const TARGET: &str = "http.target";
    pub(in super::super) const STATUS_CODE: &str = "http.status_code";
    pub(in super::super) const SCHEME: &str = "http.scheme";
    pub(in super::super) const FLAVOR: &str = "http.flavor";
}

const fn with_default_boundaries(mut instrument: Instrument) -> Instrument {
    instrument.boundaries = DEFAULT_BOUNDARIES;
    instrument
}

const fn renamed(mut instrument: Instrument, name: &'static str) -> Instrument {
    instrument.name = name;
    instrument
}
