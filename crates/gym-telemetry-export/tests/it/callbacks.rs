//! Callbacks that misbehave, and instruments that are created while a collection runs.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
        mpsc,
    },
    thread,
};

use gym_telemetry_export::Exporter;
use opentelemetry::metrics::MeterProvider;
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, SdkMeterProvider};

use crate::support::{Form, LONG, Logs, Receiver, builder, settings, telemetry};

#[test]
fn x7_a_callback_that_panics_takes_nothing_else_with_it() {
    let logs = Logs::keep();
    let receiver = Receiver::start(Form::Grpc);
    let telemetry = telemetry(&receiver);
    let meter = telemetry.meter("test");
    let panics = Arc::new(AtomicBool::new(true));
    let panicking = Arc::clone(&panics);
    let _bad = meter
        .u64_observable_counter("bad")
        .with_callback(move |observer| {
            assert!(!panicking.load(Relaxed), "x7 has its reasons");
            observer.observe(7, &[]);
        })
        .build();
    let reads = AtomicU64::new(0);
    let _good = meter
        .u64_observable_counter("good")
        .with_callback(move |observer| observer.observe(reads.fetch_add(1, Relaxed) + 1, &[]))
        .build();

    for cycle in 1..=3 {
        telemetry.flush(LONG).unwrap();
        assert_eq!((receiver.latest("good"), receiver.latest("bad")), (Some(cycle), None));
    }
    panics.store(false, Relaxed);
    telemetry.shutdown(LONG).unwrap();
    assert_eq!((receiver.latest("good"), receiver.latest("bad")), (Some(4), Some(7)));
    let told = logs.with("callback panicked");
    let told: Vec<_> = told.iter().filter(|line| line.contains("x7 has its reasons")).collect();
    assert!(told.len() == 1 && told[0].contains("bad"), "{told:?}");
}

#[test]
fn x8_creating_instruments_while_collecting_does_not_hang() {
    let receiver = Receiver::start(Form::Grpc);
    let telemetry = telemetry(&receiver);
    let (done, ended) = mpsc::channel();
    for worker in 0..2 {
        let (telemetry, done) = (telemetry.clone(), done.clone());
        thread::spawn(move || {
            for round in 0..100 {
                let meter = telemetry.meter("test");
                let name = format!("x8.{worker}.{round}");
                let observed = meter.u64_observable_gauge(name.clone());
                let _observed = observed.with_callback(|observer| observer.observe(1, &[])).build();
                meter.f64_histogram(format!("{name}.sync")).build().record(1.0, &[]);
            }
            done.send(()).unwrap();
        });
    }
    let flusher = telemetry.clone();
    thread::spawn(move || {
        (0..50).for_each(|_| flusher.flush(LONG).unwrap());
        done.send(()).unwrap();
    });
    for _ in 0..3 {
        ended.recv_timeout(LONG).expect("a thread hangs");
    }
    telemetry.shutdown(LONG).unwrap();
}

#[test]
fn x8_an_instrument_created_inside_a_callback_is_refused_and_blocks_nothing() {
    let logs = Logs::keep();
    let receiver = Receiver::start(Form::Grpc);
    let telemetry = telemetry(&receiver);
    let meter = telemetry.meter("test");
    let inner = meter.clone();
    let _outer = meter
        .u64_observable_counter("outer")
        .with_callback(move |observer| {
            inner.u64_counter("x8.inside").build().add(1, &[]);
            observer.observe(5, &[]);
        })
        .build();
    telemetry.flush(LONG).unwrap();
    assert_eq!((receiver.latest("outer"), receiver.latest("x8.inside")), (Some(5), None));
    assert_eq!(logs.with("x8.inside").len(), 1);

    meter.u64_counter("x8.inside").build().add(1, &[]);
    telemetry.shutdown(LONG).unwrap();
    assert_eq!(receiver.latest("x8.inside"), Some(1));
}

#[test]
fn a_provider_of_the_host_is_used_guarded_and_left_running() {
    let exported = InMemoryMetricExporter::default();
    let host = SdkMeterProvider::builder().with_periodic_exporter(exported.clone()).build();
    let telemetry = builder(settings(Exporter::Otlp), &[]).meter_provider(host.clone()).start().unwrap();
    assert!(telemetry.is_enabled());
    let meter = telemetry.meter("test");
    let _bad = meter.u64_observable_gauge("bad").with_callback(|_| panic!("a host's callback")).build();
    meter.u64_counter("counted").build().add(3, &[]);
    telemetry.flush(LONG).unwrap();
    telemetry.shutdown(LONG).unwrap();
    drop(telemetry);

    host.meter("host").u64_counter("later").build().add(1, &[]);
    host.force_flush().unwrap();
    let metrics = exported.get_finished_metrics().unwrap();
    let metrics = metrics.iter().flat_map(|all| all.scope_metrics()).flat_map(|scope| scope.metrics());
    let names: Vec<_> = metrics.map(|metric| metric.name()).collect();
    assert!(names.contains(&"counted") && names.contains(&"later"), "{names:?}");
}
