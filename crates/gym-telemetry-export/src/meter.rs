//! Meters whose callbacks cannot take the exporter down.

use std::{
    any::Any,
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use opentelemetry::metrics::{
    AsyncInstrument, AsyncInstrumentBuilder, Callback, Counter, Gauge, Histogram, HistogramBuilder, InstrumentBuilder,
    InstrumentProvider, Meter, ObservableCounter, ObservableGauge, ObservableUpDownCounter, UpDownCounter,
};

thread_local! {
    /// Whether this thread is inside a callback, and so inside a collection.
    static COLLECTING: Cell<bool> = const { Cell::new(false) };
}

/// Wraps a meter. The SDK runs callbacks with its lock held: a panic in one would poison the lock, and an instrument
/// created in one would wait for the lock for ever. Here the first is caught and the second is refused; the log tells
/// of both, and everything else goes on.
pub(crate) fn guarded(inner: Meter) -> Meter {
    Meter::new(Arc::new(Guarded { inner }))
}

struct Guarded {
    inner: Meter,
}

/// The instruments of a meter that does nothing.
struct Silent;

impl InstrumentProvider for Silent {}

/// Hands the creation of an instrument on to the inner meter, unless it would block the thread for ever.
macro_rules! create {
    (@builder sync $instrument:ty, $number:ty) => { InstrumentBuilder<'_, $instrument> };
    (@builder histogram $instrument:ty, $number:ty) => { HistogramBuilder<'_, $instrument> };
    (@builder observable $instrument:ty, $number:ty) => { AsyncInstrumentBuilder<'_, $instrument, $number> };
    (@rest sync $from:ident $to:ident) => {};
    (@rest histogram $from:ident $to:ident) => { $to.boundaries = $from.boundaries; };
    (@rest observable $from:ident $to:ident) => {
        $to.callbacks = $from.callbacks.into_iter().map(|callback| catching($to.name.to_string(), callback)).collect();
    };
    ($( $form:ident $method:ident: $instrument:ident<$number:ty>; )+) => {$(
        fn $method(&self, builder: create!(@builder $form $instrument<$number>, $number)) -> $instrument<$number> {
            if COLLECTING.get() {
                refuse(&builder.name);
                return Silent.$method(builder);
            }
            let mut inner = self.inner.$method(builder.name);
            inner.description = builder.description;
            inner.unit = builder.unit;
            create!(@rest $form builder inner);
            inner.build()
        }
    )+};
}

impl InstrumentProvider for Guarded {
    create! {
        sync u64_counter: Counter<u64>;
        sync f64_counter: Counter<f64>;
        sync i64_up_down_counter: UpDownCounter<i64>;
        sync f64_up_down_counter: UpDownCounter<f64>;
        sync u64_gauge: Gauge<u64>;
        sync i64_gauge: Gauge<i64>;
        sync f64_gauge: Gauge<f64>;
        histogram u64_histogram: Histogram<u64>;
        histogram f64_histogram: Histogram<f64>;
        observable u64_observable_counter: ObservableCounter<u64>;
        observable f64_observable_counter: ObservableCounter<f64>;
        observable i64_observable_up_down_counter: ObservableUpDownCounter<i64>;
        observable f64_observable_up_down_counter: ObservableUpDownCounter<f64>;
        observable u64_observable_gauge: ObservableGauge<u64>;
        observable i64_observable_gauge: ObservableGauge<i64>;
        observable f64_observable_gauge: ObservableGauge<f64>;
    }
}

/// Tells that an instrument would have waited for ever.
fn refuse(instrument: &str) {
    tracing::error!(instrument, "an instrument created inside a callback records nothing: create it beforehand");
}

/// Wraps a callback so that a panic ends in the log: the first one, and the first after it worked again.
fn catching<M: 'static>(instrument: String, callback: Callback<M>) -> Callback<M> {
    let failing = AtomicBool::new(false);
    Box::new(move |observer: &dyn AsyncInstrument<M>| {
        let outer = COLLECTING.replace(true);
        let outcome = catch_unwind(AssertUnwindSafe(|| callback(observer)));
        COLLECTING.set(outer);
        let fails = outcome.is_err();
        if let Err(panic) = outcome
            && !failing.load(Relaxed)
        {
            tracing::error!(instrument, panic = text(&*panic), "a metric callback panicked; its metric may be missing");
        }
        failing.store(fails, Relaxed);
    })
}

/// The message of a panic, if it has one.
fn text(panic: &(dyn Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("(no message)")
}
