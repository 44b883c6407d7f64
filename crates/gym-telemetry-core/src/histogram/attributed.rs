use std::{fmt, hash::Hash, sync::OnceLock};

use gym_telemetry_conventions::Instrument;
use opentelemetry::{
    KeyValue,
    metrics::{Histogram, Meter},
};

use super::{Buckets, Handover, Measure};
use crate::{shard::Sharded, table::Table};

/// The attribute of a series that stands for all beyond a limit, as the SDK has it.
const OVERFLOW: &str = "otel.metric.overflow";

/// The distributions of one instrument by what `K` says, no more than a limit of them, and one for all that is beyond.
pub(crate) struct Attributed<K, M: Measure> {
    instrument: &'static Instrument,
    histogram: Histogram<M::Exported>,
    known: Table<(K, Series<M>)>,
    overflow: OnceLock<Series<M>>,
}

/// One of them.
struct Series<M: Measure> {
    shards: Sharded<Buckets<M>>,
    handover: Handover<M>,
}

impl<K, M: Measure> Attributed<K, M> {
    pub(crate) fn new(meter: &Meter, instrument: &'static Instrument, limit: usize) -> Self {
        let histogram = M::build(meter, instrument);
        Self { instrument, histogram, known: Table::new(limit), overflow: OnceLock::new() }
    }

    /// Records a value under a key, which is `make`d into what is kept and into attributes when it is new.
    pub(crate) fn record<Q: Hash>(
        &self,
        key: &Q,
        value: u64,
        is: impl Fn(&K) -> bool,
        make: impl Fn() -> (K, Vec<KeyValue>),
    ) {
        let new = || {
            let (key, attributes) = make();
            (key, self.series(attributes))
        };
        let known = self.known.get_or_insert(key, |(known, _)| is(known), new).map(|(_, series)| series);
        let overflow = || self.overflow.get_or_init(|| self.series(vec![KeyValue::new(OVERFLOW, true)]));
        known.unwrap_or_else(overflow).shards.local().record(value);
    }

    /// Hands the samples of every series over to the histogram.
    pub(crate) fn hand_over(&self) {
        for series in self.known.iter().map(|(_, series)| series).chain(self.overflow.get()) {
            series.handover.run(series.shards.iter());
        }
    }

    fn series(&self, attributes: Vec<KeyValue>) -> Series<M> {
        Series {
            shards: Sharded::new(|| Buckets::new(self.instrument)),
            handover: Handover::new(self.histogram.clone(), attributes),
        }
    }
}

impl<K, M: Measure> fmt::Debug for Attributed<K, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attributed").field("instrument", &self.instrument.name).finish_non_exhaustive()
    }
}
