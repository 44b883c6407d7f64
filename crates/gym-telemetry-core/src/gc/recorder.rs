use std::{
    array,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use gym_telemetry_conventions::{attributes, metrics};
use opentelemetry::{
    KeyValue,
    metrics::{Histogram, Meter},
};

use super::pauses::Pauses;
use crate::{
    count::Count,
    histogram::{Measure as _, Millis},
    latest::Latest,
    nanos::nanos,
    report::Report,
};

/// How many generations are told apart.
const GENERATIONS: usize = 3;

/// How many pauses wait for an export at most.
const DEFAULT_PAUSE_LIMIT: usize = 10_000;

/// Counts the collections of a garbage-collected runtime within this process: `gym.gc.*`.
///
/// The runtime's callbacks drive it: [`start`](Self::start) and [`stop`](Self::stop) store a few integers, and can be
/// called wherever a collection may begin, on any thread. Pauses wait for the next export, up to a limit; the rest is
/// counted as `gym.telemetry.gc.pauses_dropped_total`, which is ours. All totals are exact whatever happens.
///
/// Generations are 0, 1 and 2; a higher one counts as 2.
///
/// # Example
///
/// ```
/// use gym_telemetry_core::GcMetrics;
/// # use opentelemetry::metrics::MeterProvider as _;
/// # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
///
/// let gc = GcMetrics::new(&meter);
/// gc.start(0); // a callback of the runtime, before a collection
/// gc.stop(0, 700, 0); // and after it
/// let youngest = gc.snapshot().generations[0];
/// assert_eq!((youngest.collections, youngest.collected), (1, 700));
/// ```
#[derive(Debug, Clone)]
#[must_use = "dropping it ends its series"]
pub struct GcMetrics {
    inner: Arc<Inner>,
}

/// What a [`GcMetrics`] has counted so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GcSnapshot {
    /// By generation, the youngest first.
    pub generations: [GcGeneration; GENERATIONS],
    /// Pauses that found no room among those that wait for an export.
    pub pauses_dropped: u64,
}

/// What was counted of one generation so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GcGeneration {
    /// Collections that ended.
    pub collections: u64,
    /// Objects that they freed.
    pub collected: u64,
    /// Objects that they found and could not free.
    pub uncollectable: u64,
    /// How long they took together.
    pub paused: Duration,
    /// Allocations counted toward the next one, once they were told.
    pub allocated: Option<u64>,
}

#[derive(Debug)]
struct Inner {
    epoch: Instant,
    generations: [Generation; GENERATIONS],
    pauses: Pauses,
    histogram: Histogram<f64>,
    /// How many dropped pauses the log knows of.
    dropped_told: AtomicU64,
}

#[derive(Debug)]
struct Generation {
    /// When the collection began that runs.
    started: Latest,
    collections: Count,
    collected: Count,
    uncollectable: Count,
    paused: Count,
    /// Allocations counted toward the next collection, once they were told.
    allocated: Latest,
}

impl GcMetrics {
    /// A recorder whose series are reported through `meter`.
    pub fn new(meter: &Meter) -> Self {
        Self::with_pause_limit(meter, DEFAULT_PAUSE_LIMIT)
    }

    /// The same, with room for no more than `limit` pauses between two exports; the default is 10 000.
    pub fn with_pause_limit(meter: &Meter, limit: usize) -> Self {
        let inner = Arc::new(Inner {
            epoch: Instant::now(),
            generations: array::from_fn(|_| Generation::new()),
            pauses: Pauses::new(limit),
            histogram: Millis::build(meter, &metrics::GC_PAUSE_DURATION_MS),
            dropped_told: AtomicU64::new(0),
        });
        let report = Report::new(meter, &inner);
        report.on_collection(Inner::hand_over);
        let counter = |instrument, count: fn(&Generation) -> &Count| {
            report.counter(instrument, move |inner: &Inner, observer| {
                for (index, generation) in inner.generations.iter().enumerate() {
                    observer.observe(count(generation).get(), &[attribute(index)]);
                }
            });
        };
        counter(&metrics::GC_COLLECTIONS_TOTAL, |generation| &generation.collections);
        counter(&metrics::GC_COLLECTED_TOTAL, |generation| &generation.collected);
        counter(&metrics::GC_UNCOLLECTABLE_TOTAL, |generation| &generation.uncollectable);
        report.counter(&metrics::GC_PAUSES_DROPPED_TOTAL, |inner, observer| {
            observer.observe(inner.pauses.dropped(), &[]);
        });
        report.gauge(&metrics::GC_COUNT, |inner, observer| {
            for (index, generation) in inner.generations.iter().enumerate() {
                if let Some(allocated) = generation.allocated.get() {
                    observer.observe(allocated, &[attribute(index)]);
                }
            }
        });
        Self { inner }
    }

    /// A collection of this generation begins.
    pub fn start(&self, generation: usize) {
        self.generation(generation).1.started.set(self.now());
    }

    /// The collection of this generation has ended: it freed `collected` objects, and found `uncollectable` that it
    /// could not free. One whose beginning was not told is counted, but has no pause.
    pub fn stop(&self, generation: usize, collected: u64, uncollectable: u64) {
        let (index, generation) = self.generation(generation);
        if let Some(started) = generation.started.take() {
            let pause = self.now().saturating_sub(started);
            generation.paused.add(pause);
            self.inner.pauses.push(index, Duration::from_nanos(pause));
        }
        generation.collected.add(collected);
        generation.uncollectable.add(uncollectable);
        generation.collections.add(1);
    }

    /// Allocations counted toward the next collection of each generation, by now.
    pub fn set_allocated(&self, allocated: [u64; GENERATIONS]) {
        for (generation, allocated) in self.inner.generations.iter().zip(allocated) {
            generation.allocated.set(allocated);
        }
    }

    /// What has been counted so far.
    #[must_use]
    pub fn snapshot(&self) -> GcSnapshot {
        GcSnapshot {
            generations: self.inner.generations.each_ref().map(Generation::snapshot),
            pauses_dropped: self.inner.pauses.dropped(),
        }
    }

    fn generation(&self, number: usize) -> (usize, &Generation) {
        let index = number.min(GENERATIONS - 1);
        (index, &self.inner.generations[index])
    }

    fn now(&self) -> u64 {
        nanos(self.inner.epoch.elapsed())
    }
}

impl Inner {
    /// Gives the pauses that came since the last export to this one. Runs on the exporter's thread.
    fn hand_over(&self) {
        for (generation, pause) in self.pauses.drain() {
            self.histogram.record(pause.as_secs_f64() * 1e3, &[attribute(generation)]);
        }
        let dropped = self.pauses.dropped();
        let missing = dropped - self.dropped_told.swap(dropped, Ordering::Relaxed);
        if missing > 0 {
            tracing::warn!(target: "gym_telemetry", missing, "more garbage collections than an export can tell one by one");
        }
    }
}

impl Generation {
    fn new() -> Self {
        Self {
            started: Latest::none(),
            collections: Count::default(),
            collected: Count::default(),
            uncollectable: Count::default(),
            paused: Count::default(),
            allocated: Latest::none(),
        }
    }

    fn snapshot(&self) -> GcGeneration {
        GcGeneration {
            collections: self.collections.get(),
            collected: self.collected.get(),
            uncollectable: self.uncollectable.get(),
            paused: Duration::from_nanos(self.paused.get()),
            allocated: self.allocated.get(),
        }
    }
}

#[expect(clippy::cast_possible_wrap, reason = "there are three")]
fn attribute(generation: usize) -> KeyValue {
    KeyValue::new(attributes::GC_GENERATION.key, generation as i64)
}
