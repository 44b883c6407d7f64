//! Collectors that are away or mute, and exporters that die.

use std::{
    io,
    net::TcpListener,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};

use gym_telemetry_export::{ExportError, Exporter, Telemetry};

use crate::support::{Form, Gate, LONG, Logs, Receiver, builder, eventually, settings, telemetry, to};

#[test]
fn x4_totals_are_exact_after_the_collector_was_away() {
    for form in Form::ALL {
        let receiver = Receiver::start(form);
        let gate = Gate::shut_before(&receiver.url);
        let telemetry = to(&gate.url, form, 1);
        let counter = telemetry.meter("test").u64_counter("counted").build();
        counter.add(1, &[]);
        eventually("a failed export", || telemetry.status().failures > 0);
        assert!(telemetry.status().last_error.is_some() && telemetry.status().running);

        gate.set_open(true);
        receiver.wait_for(1);
        counter.add(10, &[]);
        gate.set_open(false);
        let failures = telemetry.status().failures;
        eventually("another failed export", || telemetry.status().failures > failures);
        counter.add(100, &[]);
        gate.set_open(true);

        telemetry.shutdown(LONG).unwrap();
        assert_eq!(receiver.latest("counted"), Some(111), "{form:?}");
        assert!(telemetry.status().last_error.is_none());
    }
}

/// Shuts down before a collector that accepts connections and never answers, and tells how long it took.
fn shut_down_before_a_mute_collector(form: Form, interval_ms: u32, timeout: Duration) -> Duration {
    let mute = TcpListener::bind("127.0.0.1:0").unwrap();
    let telemetry = to(&format!("http://{}", mute.local_addr().unwrap()), form, interval_ms);
    telemetry.meter("test").u64_counter("counted").build().add(1, &[]);
    // With a short interval an export is under way, and hangs.
    let _connection = (interval_ms == 1).then(|| mute.accept().unwrap());
    let begin = Instant::now();
    let error = telemetry.shutdown(timeout).unwrap_err();
    let taken = begin.elapsed();
    assert!(matches!(error, ExportError::Timeout(_) | ExportError::Send(_)), "{error:?}");
    taken
}

#[test]
fn x5_shutdown_does_not_wait_for_a_mute_collector() {
    let timeout = Duration::from_secs(2);
    let attempts = [(Form::Grpc, 3_600_000), (Form::Grpc, 1), (Form::Http, 3_600_000), (Form::Http, 1)];
    let attempts = attempts.map(|(form, interval)| {
        thread::spawn(move || {
            // On a machine that is busy with other things one of three must do.
            let taken = (0..3).map(|_| shut_down_before_a_mute_collector(form, interval, timeout));
            taken.into_iter().any(|taken| taken < Duration::from_millis(2_500))
        })
    });
    for attempt in attempts {
        assert!(attempt.join().unwrap(), "each shutdown took more than 2.5 s");
    }
}

#[test]
fn x5_an_export_that_hangs_leaves_time_for_the_last_one() {
    let receiver = Receiver::start(Form::Http);
    receiver.ignore_next();
    let mut block = settings(Exporter::Otlp);
    block.otlp_endpoint = Some(receiver.url.clone());
    block.otlp_protocol = receiver.form.protocol();
    block.export_interval_ms = 1;
    let telemetry = builder(block, &[("OTEL_EXPORTER_OTLP_TIMEOUT", "3600000")]).start().unwrap();
    telemetry.meter("test").u64_counter("counted").build().add(3, &[]);
    eventually("a request that is ignored", || receiver.ignored());
    telemetry.shutdown(Duration::from_secs(6)).unwrap();
    assert_eq!((receiver.arrivals().len(), receiver.latest("counted")), (1, Some(3)));
}

/// A writer that takes the exporter's thread down.
struct Deadly;

impl io::Write for Deadly {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        panic!("a writer that panics")
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A writer that fails while it is told to.
struct Full(Arc<AtomicBool>);

impl io::Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.load(Relaxed) { Err(io::Error::other("x4: no room")) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn on_console(writer: impl io::Write + Send + 'static) -> Telemetry {
    let telemetry = builder(settings(Exporter::Console), &[]).console(writer).start().unwrap();
    telemetry.meter("test").u64_counter("counted").build().add(1, &[]);
    telemetry
}

#[test]
fn x6_a_dead_exporter_is_an_error_that_the_application_sees() {
    let logs = Logs::keep();
    let telemetry = on_console(Deadly);
    assert!(telemetry.status().running);
    assert!(matches!(telemetry.flush(LONG), Err(ExportError::Stopped)));
    eventually("the end of the thread", || !telemetry.status().running);
    eventually("a word in the log", || logs.with("the exporter's thread panicked").len() == 1);
    assert!(matches!(telemetry.shutdown(LONG), Err(ExportError::Stopped)));
}

#[test]
fn x4_failures_are_said_once_until_an_export_succeeds_and_the_next_is_tried() {
    let logs = Logs::keep();
    let full = Arc::new(AtomicBool::new(true));
    let telemetry = on_console(Full(Arc::clone(&full)));
    for outage in 1..=2 {
        full.store(true, Relaxed);
        for failures in outage * 2 - 1..=outage * 2 {
            assert!(matches!(telemetry.flush(LONG), Err(ExportError::Write(_))));
            assert_eq!(telemetry.status().failures, failures);
            assert!(telemetry.status().last_error.is_some());
        }
        full.store(false, Relaxed);
        telemetry.flush(LONG).unwrap();
        assert!(telemetry.status().last_error.is_none());
        assert_eq!(logs.with("x4: no room").len() as u64, outage);
    }
    assert_eq!(telemetry.status().exports, 2);
}

#[test]
fn x13_telemetry_starts_again_and_a_second_shutdown_is_no_error() {
    let receiver = Receiver::start(Form::Grpc);
    for round in 1..=2 {
        let telemetry = telemetry(&receiver);
        telemetry.meter("test").u64_counter("counted").build().add(round, &[]);
        telemetry.shutdown(LONG).unwrap();
        telemetry.shutdown(LONG).unwrap();
        telemetry.clone().shutdown(Duration::ZERO).unwrap();
        assert_eq!(receiver.latest("counted"), i64::try_from(round).ok());
        assert!(!telemetry.status().running);
        assert!(matches!(telemetry.flush(LONG), Err(ExportError::Stopped)));
    }
}

#[test]
fn meters_are_silent_after_a_shutdown() {
    let receiver = Receiver::start(Form::Grpc);
    let telemetry = telemetry(&receiver);
    telemetry.shutdown(LONG).unwrap();
    telemetry.meter("test").u64_counter("counted").build().add(1, &[]);
    drop(telemetry);
    assert_eq!(receiver.arrivals().len(), 0);
}
