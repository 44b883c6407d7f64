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

/// Durations: nanoseconds here, so many of them a unit there.
#[derive(Debug)]
pub(crate) enum Nanos<const PER_UNIT: u64> {}

/// Durations that are milliseconds at the backend.
pub(crate) type Millis = Nanos<1_000_000>;

/// Durations that are seconds at the backend.
pub(crate) type Seconds = Nanos<1_000_000_000>;

/// Bytes, items, tokens: the same integers on both sides.
#[derive(Debug)]
pub(crate) enum Amount {}

#[expect(clippy::cast_precision_loss, reason = "2^53 ns are 104 days")]
impl<const PER_UNIT: u64> Measure for Nanos<PER_UNIT> {
    type Exported = f64;
    const PER_UNIT: f64 = PER_UNIT as f64;

    fn build(meter: &Meter, instrument: &Instrument) -> Histogram<f64> {
        let builder = meter.f64_histogram(instrument.name).with_unit(instrument.unit);
        builder.with_description(instrument.description).with_boundaries(instrument.boundaries.to_vec()).build()
    }

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
