use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicU64, Ordering},
};

use gym_telemetry_conventions::metrics;
use opentelemetry::{
    KeyValue,
    metrics::{Histogram, Meter},
};

use super::{HttpShard, Key, key::overflow, names, shard::Sizes};
use crate::{
    histogram::{Amount, Buckets, Handover, Measure as _, Millis, Seconds},
    table::Table,
};

/// The series of every kind of request, each with a place at which the shards keep their parts of it.
///
/// Requests that match no route have a quarter of the series, so that whoever sends junk cannot take the place of the
/// routes. What is beyond either limit shares one more series.
#[derive(Debug)]
pub(crate) struct HttpSeries {
    histograms: Histograms,
    old: Option<Histograms>,
    matched: Table<Series>,
    unmatched: Table<Series>,
    overflow: OnceLock<Series>,
}

/// One kind of request.
#[derive(Debug)]
struct Series {
    key: Option<Key>,
    /// How many requests the last collection saw.
    collected: AtomicU64,
    duration: Handover<Seconds>,
    received: Handover<Amount>,
    sent: Handover<Amount>,
}

/// One shard's part of a series.
#[derive(Debug)]
pub(super) struct Part {
    duration: Buckets<Seconds>,
    received: Buckets<Amount>,
    sent: Buckets<Amount>,
}

#[derive(Debug, Clone)]
struct Histograms {
    duration: Histogram<f64>,
    received: Histogram<u64>,
    sent: Histogram<u64>,
}

impl HttpSeries {
    pub(crate) fn new(meter: &Meter, limit: usize) -> Self {
        let unmatched = limit / 4;
        Self {
            histograms: Histograms::new(meter),
            old: None,
            matched: Table::new(limit - unmatched),
            unmatched: Table::new(unmatched),
            overflow: OnceLock::new(),
        }
    }

    pub(crate) fn with_old_names(meter: &Meter, limit: usize) -> Self {
        Self { old: Some(Histograms::with_old_names(meter)), ..Self::new(meter, limit) }
    }

    /// How many places there are.
    pub(super) fn places(&self) -> usize {
        self.matched.indexes() + self.unmatched.indexes() + 1
    }

    /// The place of a kind of request.
    #[inline]
    pub(super) fn place(&self, key: Key, route: &str) -> usize {
        let is = |series: &Series| series.key == Some(key);
        let make = || {
            let route = Arc::from(route);
            self.series(Some(key), &key.attributes(&route), &key.old_attributes(&route))
        };
        let place = if key.route.is_matched() {
            self.matched.index_or_insert(&key, is, make)
        } else {
            self.unmatched.index_or_insert(&key, is, make).map(|index| self.matched.indexes() + index)
        };
        place.unwrap_or_else(|| {
            self.overflow.get_or_init(|| self.series(None, &overflow(), &overflow()));
            self.places() - 1
        })
    }

    /// Hands the samples of every shard over to the histograms.
    pub(crate) fn hand_over<'a, I: Iterator<Item = &'a HttpShard>>(&self, shards: impl Fn() -> I) {
        for (place, series) in (0..self.places()).filter_map(|place| Some((place, self.get(place)?))) {
            let parts = || shards().filter_map(|shard| shard.part(place));
            if series.is_new(parts().map(|part| part.duration.count()).fold(0, u64::wrapping_add)) {
                series.duration.run(parts().map(|part| &part.duration));
                series.received.run(parts().map(|part| &part.received));
                series.sent.run(parts().map(|part| &part.sent));
            }
        }
    }

    fn get(&self, place: usize) -> Option<&Series> {
        let unmatched = || self.unmatched.get(place.checked_sub(self.matched.indexes())?);
        let overflow = || self.overflow.get().filter(|_| place == self.places() - 1);
        self.matched.get(place).or_else(unmatched).or_else(overflow)
    }
}

impl HttpSeries {
    fn series(&self, key: Option<Key>, attributes: &[KeyValue], old_attributes: &[KeyValue]) -> Series {
        let Histograms { duration, received, sent } = &self.histograms;
        let series = Series {
            key,
            collected: AtomicU64::new(0),
            duration: Handover::new(duration.clone(), attributes.to_vec()),
            received: Handover::new(received.clone(), attributes.to_vec()),
            sent: Handover::new(sent.clone(), attributes.to_vec()),
        };
        match &self.old {
            Some(old) => series.with_old(old, old_attributes),
            None => series,
        }
    }
}

impl Series {
    /// Whether there have been more requests than at the last collection.
    fn is_new(&self, requests: u64) -> bool {
        self.collected.swap(requests, Ordering::Relaxed) != requests
    }

    fn with_old(self, old: &Histograms, attributes: &[KeyValue]) -> Self {
        let Histograms { duration, received, sent } = old.clone();
        let of = |attributes: &[KeyValue]| attributes.to_vec();
        let (to_duration, to_received, to_sent) = (of(attributes), of(attributes), of(attributes));
        Self {
            key: self.key,
            collected: self.collected,
            duration: self.duration.and(move |value| Millis::record(&duration, value, &to_duration)),
            received: self.received.and(move |value| Amount::record(&received, value, &to_received)),
            sent: self.sent.and(move |value| Amount::record(&sent, value, &to_sent)),
        }
    }
}

impl Part {
    pub(super) fn new() -> Self {
        Self {
            duration: Buckets::new(&metrics::HTTP_SERVER_REQUEST_DURATION),
            received: Buckets::new(&names::REQUEST_BODY_SIZE),
            sent: Buckets::new(&names::RESPONSE_BODY_SIZE),
        }
    }

    #[inline]
    pub(super) fn record(&self, nanos: u64, sizes: Sizes) {
        if let Some(received) = sizes.received {
            self.received.record(received);
        }
        self.sent.record(sizes.sent);
        // Last: a collection that sees it sees the sizes.
        self.duration.record(nanos);
    }
}

impl Histograms {
    fn new(meter: &Meter) -> Self {
        Self {
            duration: Seconds::build(meter, &metrics::HTTP_SERVER_REQUEST_DURATION),
            received: Amount::build(meter, &names::REQUEST_BODY_SIZE),
            sent: Amount::build(meter, &names::RESPONSE_BODY_SIZE),
        }
    }

    fn with_old_names(meter: &Meter) -> Self {
        Self {
            duration: Millis::build(meter, &names::OLD_DURATION),
            received: Amount::build(meter, &names::OLD_REQUEST_SIZE),
            sent: Amount::build(meter, &names::OLD_RESPONSE_SIZE),
        }
    }
}
