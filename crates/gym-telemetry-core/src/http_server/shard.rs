use std::sync::{Arc, OnceLock};

use gym_telemetry_conventions::attributes;
use opentelemetry::{KeyValue, metrics::AsyncInstrument};

use super::{BytesReceived, HttpMethod, HttpScheme, HttpSeries, Key, received::Spare, series::Part};
use crate::{count::Level, report::signed};

/// What one thread counts by the HTTP conventions.
#[derive(Debug)]
pub(crate) struct HttpShard {
    series: Arc<HttpSeries>,
    /// By place.
    parts: Box<[OnceLock<Box<Part>>]>,
    active: [[Level; HttpScheme::ALL.len()]; HttpMethod::ALL.len()],
    spare: Spare,
}

/// The bytes of a request's body, if somebody counted, and of its response's.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    pub(super) received: Option<u64>,
    pub(super) sent: u64,
}

impl HttpShard {
    pub(crate) fn new(series: Arc<HttpSeries>) -> Self {
        let parts = (0..series.places()).map(|_| OnceLock::new()).collect();
        Self { series, parts, active: Default::default(), spare: Spare::new() }
    }

    /// How many requests of a method and a scheme are under way.
    #[inline]
    pub(super) fn active(&self, method: HttpMethod, scheme: HttpScheme) -> &Level {
        &self.active[method.index()][scheme.index()]
    }

    /// A counter for the bytes of a request's body.
    pub(super) fn receive(&self) -> BytesReceived {
        self.spare.take()
    }

    /// How many bytes were counted, and there is one more counter to spare.
    pub(super) fn received(&self, received: BytesReceived) -> u64 {
        let bytes = received.get();
        self.spare.give_back(received);
        bytes
    }

    /// Counts a request that has ended.
    #[inline]
    pub(super) fn record(&self, key: Key, route: &str, nanos: u64, sizes: Sizes) {
        let place = self.series.place(key, route);
        if let Some(part) = self.parts.get(place) {
            part.get_or_init(|| Box::new(Part::new())).record(nanos, sizes);
        }
    }

    /// Tells how many requests are under way, by method and scheme of those that there have ever been.
    pub(crate) fn observe_active<'a, I: Iterator<Item = &'a Self>>(
        shards: impl Fn() -> I,
        observer: &dyn AsyncInstrument<i64>,
    ) {
        for (method, scheme) in
            HttpMethod::ALL.iter().flat_map(|method| HttpScheme::ALL.iter().map(move |s| (method, s)))
        {
            let (entered, active) = Level::read_all(|| shards().map(|shard| shard.active(*method, *scheme)));
            if entered > 0 {
                let method = KeyValue::new(attributes::HTTP_REQUEST_METHOD.key, method.as_str());
                let scheme = KeyValue::new(attributes::URL_SCHEME.key, scheme.as_str());
                observer.observe(signed(active), &[method, scheme]);
            }
        }
    }

    /// This shard's part of a series, if it has one.
    pub(super) fn part(&self, place: usize) -> Option<&Part> {
        self.parts.get(place)?.get().map(|part| &**part)
    }
}
