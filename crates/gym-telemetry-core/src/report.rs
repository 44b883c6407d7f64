//! Building instruments from their descriptors, and reading a recorder when an exporter asks.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Weak},
};

use gym_telemetry_conventions::Instrument;
use opentelemetry::metrics::{AsyncInstrument, Meter};

use crate::{
    histogram::{Buckets, Handover, Measure},
    shard::Sharded,
};

/// Ours, and never exported: an instrument whose callback reports no point of its own. It runs at the start of each
/// collection and hands the samples that shards have gathered over to the histograms of the same collection.
const HANDOVER: &str = "gym.telemetry.handover";

/// Registers what one recorder reports, and keeps no hold of the recorder: once it is dropped, nothing is reported.
///
/// The SDK never forgets a callback, so each recorder leaves a few behind that do nothing.
pub(crate) struct Report<'a, R> {
    meter: &'a Meter,
    recorder: Weak<R>,
}

impl<'a, R: Send + Sync + 'static> Report<'a, R> {
    pub(crate) fn new(meter: &'a Meter, recorder: &Arc<R>) -> Self {
        Self { meter, recorder: Arc::downgrade(recorder) }
    }

    pub(crate) fn counter(
        &self,
        instrument: &'static Instrument,
        read: impl Fn(&R, &dyn AsyncInstrument<u64>) + Send + Sync + 'static,
    ) {
        let builder = self.meter.u64_observable_counter(instrument.name).with_unit(instrument.unit);
        builder.with_description(instrument.description).with_callback(self.callback(instrument.name, read)).build();
    }

    pub(crate) fn counter_f64(
        &self,
        instrument: &'static Instrument,
        read: impl Fn(&R, &dyn AsyncInstrument<f64>) + Send + Sync + 'static,
    ) {
        let builder = self.meter.f64_observable_counter(instrument.name).with_unit(instrument.unit);
        builder.with_description(instrument.description).with_callback(self.callback(instrument.name, read)).build();
    }

    pub(crate) fn up_down_counter(
        &self,
        instrument: &'static Instrument,
        read: impl Fn(&R, &dyn AsyncInstrument<i64>) + Send + Sync + 'static,
    ) {
        let builder = self.meter.i64_observable_up_down_counter(instrument.name).with_unit(instrument.unit);
        builder.with_description(instrument.description).with_callback(self.callback(instrument.name, read)).build();
    }

    pub(crate) fn gauge(
        &self,
        instrument: &'static Instrument,
        read: impl Fn(&R, &dyn AsyncInstrument<u64>) + Send + Sync + 'static,
    ) {
        let builder = self.meter.u64_observable_gauge(instrument.name).with_unit(instrument.unit);
        builder.with_description(instrument.description).with_callback(self.callback(instrument.name, read)).build();
    }

    pub(crate) fn gauge_f64(
        &self,
        instrument: &'static Instrument,
        read: impl Fn(&R, &dyn AsyncInstrument<f64>) + Send + Sync + 'static,
    ) {
        let builder = self.meter.f64_observable_gauge(instrument.name).with_unit(instrument.unit);
        builder.with_description(instrument.description).with_callback(self.callback(instrument.name, read)).build();
    }

    /// Runs `work` at the start of every collection.
    pub(crate) fn on_collection(&self, work: impl Fn(&R) + Send + Sync + 'static) {
        let callback = self.callback::<u64>(HANDOVER, move |recorder, _| work(recorder));
        self.meter.u64_observable_gauge(HANDOVER).with_callback(callback).build();
    }

    /// A callback that reads the recorder while there is one. A panic in it would poison the provider for good, so it
    /// ends here.
    fn callback<M>(
        &self,
        name: &'static str,
        read: impl Fn(&R, &dyn AsyncInstrument<M>) + Send + Sync + 'static,
    ) -> impl Fn(&dyn AsyncInstrument<M>) + Send + Sync + 'static {
        let recorder = Weak::clone(&self.recorder);
        move |observer| {
            let Some(recorder) = recorder.upgrade() else { return };
            if catch_unwind(AssertUnwindSafe(|| read(&recorder, observer))).is_err() {
                tracing::error!(target: "gym_telemetry", metric = name, "reading a metric panicked; this export lacks it");
            }
        }
    }
}

impl<T: Send + Sync + 'static> Report<'_, Sharded<T>> {
    /// A histogram without attributes, whose samples lie in one [`Buckets`] of each shard.
    pub(crate) fn histogram<M: Measure>(&self, instrument: &'static Instrument, buckets: fn(&T) -> &Buckets<M>) {
        let handover = Handover::new(M::build(self.meter, instrument), Vec::new());
        self.on_collection(move |shards| handover.run(shards.iter().map(buckets)));
    }
}

/// An integer as up-down counters carry it.
pub(crate) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
