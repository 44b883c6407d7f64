//! What a collection of ten thousand series takes, and whether requests notice it.

use std::{
    hint,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::Result;
use gym_telemetry::{
    HttpConventions, HttpMethod, HttpRequest, HttpScheme, HttpVersion, RequestMetrics, RequestRecorder, RequestSettings,
};
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::{
    error::OTelSdkResult,
    metrics::{
        InstrumentKind, ManualReader, Pipeline, SdkMeterProvider, Stream, Temporality, data::ResourceMetrics,
        reader::MetricReader,
    },
};
use serde::Serialize;
use tower_layer::Layer as _;

use super::stacks::{NAME, around, http_layer, router};
use crate::{bench::Findings, measure::median, subject::Subject};

/// Routes and statuses of the requests; each of their kinds has a series of durations and two of sizes.
const ROUTES: u16 = 34;
const STATUSES: u16 = 98;
const SERIES: usize = ROUTES as usize * STATUSES as usize * 3;

/// How many requests are timed at once.
const REQUESTS: u64 = 20_000;

#[derive(Debug, Serialize)]
struct Collection {
    bench: &'static str,
    stack: &'static str,
    series: usize,
    /// A collection in which every series has a new sample, and one in which none has.
    all_new_ms: f64,
    none_new_ms: f64,
    /// How long a request takes while another thread collects without pause, by how long while it only spins.
    request_time_ratio: f64,
}

pub(super) fn findings(rounds: usize) -> Result<Findings> {
    let fleet = Many::new();
    let requests = around("requests", http_layer(&fleet.recorder).layer(router()));
    requests.run(REQUESTS);
    let (mut all_new, mut none_new, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        fleet.record();
        all_new.push(fleet.collect()?);
        none_new.push(fleet.collect()?);
        let spinning = beside(&requests, hint::spin_loop);
        let collecting = beside(&requests, || drop(fleet.collect()));
        ratios.push(collecting / spinning);
    }
    let found = Collection {
        bench: NAME,
        stack: "collection",
        series: SERIES,
        all_new_ms: median(all_new.into_iter()),
        none_new_ms: median(none_new.into_iter()),
        request_time_ratio: median(ratios.into_iter()),
    };
    let text = format!(
        "A collection of {SERIES} series of the HTTP conventions takes {:.2} ms when each has a new sample and {:.2} ms \
         when\nnone has. While another thread collects without pause, a request takes {:.2} times what it takes while \
         that thread\nonly spins.\n",
        found.all_new_ms, found.none_new_ms, found.request_time_ratio
    );
    Ok(Findings { text, json: vec![serde_json::to_string(&found)?] })
}

/// How long requests take while another thread does something over and over.
fn beside(requests: &Subject, other: impl Fn() + Sync) -> f64 {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                other();
            }
        });
        let since = Instant::now();
        requests.run(REQUESTS);
        let took = since.elapsed().as_secs_f64();
        done.store(true, Ordering::Relaxed);
        took
    })
}

/// A recorder of that many series, and what collects them.
struct Many {
    recorder: RequestRecorder,
    reader: Reader,
    _requests: RequestMetrics,
    _provider: SdkMeterProvider,
}

impl Many {
    fn new() -> Self {
        let reader = Reader::default();
        let bounds = |_: &opentelemetry_sdk::metrics::Instrument| {
            Stream::builder().with_cardinality_limit(2 * SERIES).build().ok()
        };
        let provider = SdkMeterProvider::builder().with_reader(reader.clone()).with_view(bounds).build();
        let settings = RequestSettings::default().http(HttpConventions::Stable).http_series_limit(2 * SERIES);
        let requests = RequestMetrics::with_settings(&provider.meter("bench"), settings);
        Self { recorder: requests.recorder(), reader, _requests: requests, _provider: provider }
    }

    /// One request of each kind.
    fn record(&self) {
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

    /// Milliseconds that a collection takes.
    fn collect(&self) -> Result<f64> {
        let mut metrics = ResourceMetrics::default();
        let since = Instant::now();
        self.reader.collect(&mut metrics)?;
        Ok(since.elapsed().as_secs_f64() * 1e3)
    }
}

/// A reader that the provider has, and we too.
#[derive(Debug, Clone, Default)]
struct Reader(Arc<ManualReader>);

impl MetricReader for Reader {
    fn register_pipeline(&self, pipeline: Weak<Pipeline>) {
        self.0.register_pipeline(pipeline);
    }

    fn collect(&self, metrics: &mut ResourceMetrics) -> OTelSdkResult {
        self.0.collect(metrics)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.0.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.0.shutdown_with_timeout(timeout)
    }

    fn temporality(&self, kind: InstrumentKind) -> Temporality {
        self.0.temporality(kind)
    }
}
