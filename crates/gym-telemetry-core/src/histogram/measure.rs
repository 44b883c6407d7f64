use gym_telemetry_conventions::Instrument;
use opentelemetry::{
    KeyValue,
    metrics::{Histogram, Meter},
};

/// What a histogram measures: integers in the process, and what becomes of them at a backend.
pub(crate) trait Measure: Send + Sync + 'static {
    /// The type of a sample at the backend.
    type Exported: Copy + Send + Sync + 'static;

    /// How many of our integers make one unit of the metric.
    const PER_UNIT: f64;

    fn build(meter: &Meter, instrument: &Instrument) -> Histogram<Self::Exported>;

    fn record(histogram: &Histogram<Self::Exported>, value: u64, attributes: &[KeyValue]);
}

/// Durations: nanoseconds here, milliseconds there.
#[derive(Debug)]
pub(crate) enum Millis {}

/// Durations: nanoseconds here, seconds there.
#[derive(Debug)]
pub(crate) enum Seconds {}

/// Bytes, items, tokens: the same integers on both sides.
#[derive(Debug)]
pub(crate) enum Amount {}

impl Measure for Millis {
    type Exported = f64;
    const PER_UNIT: f64 = 1e6;

    fn build(meter: &Meter, instrument: &Instrument) -> Histogram<f64> {
        build_f64(meter, instrument)
    }

    #[expect(clippy::cast_precision_loss, reason = "2^53 ns are 104 days")]
    fn record(histogram: &Histogram<f64>, value: u64, attributes: &[KeyValue]) {
        histogram.record(value as f64 / Self::PER_UNIT, attributes);
    }
}

impl Measure for Seconds {
    type Exported = f64;
    const PER_UNIT: f64 = 1e9;

    fn build(meter: &Meter, instrument: &Instrument) -> Histogram<f64> {
        build_f64(meter, instrument)
    }

    #[expect(clippy::cast_precision_loss, reason = "2^53 ns are 104 days")]
    fn record(histogram: &Histogram<f64>, value: u64, attributes: &[KeyValue]) {
        histogram.record(value as f64 / Self::PER_UNIT, attributes);
    }
}

impl Measure for Amount {
    type Exported = u64;
    const PER_UNIT: f64 = 1.0;

    fn build(meter: &Meter, instrument: &Instrument) -> Histogram<u64> {
        let builder = meter.u64_histogram(instrument.name).with_unit(instrument.unit);
        builder.with_description(instrument.description).with_boundaries(instrument.boundaries.to_vec()).build()
    }

    fn record(histogram: &Histogram<u64>, value: u64, attributes: &[KeyValue]) {
        histogram.record(value, attributes);
    }
}

fn build_f64(meter: &Meter, instrument: &Instrument) -> Histogram<f64> {
    let builder = meter.f64_histogram(instrument.name).with_unit(instrument.unit);
    builder.with_description(instrument.description).with_boundaries(instrument.boundaries.to_vec()).build()
}
