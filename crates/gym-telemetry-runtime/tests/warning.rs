//! What the watcher says in the log. A binary of its own: the log belongs to the process.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    io::{self, Write},
    sync::{Arc, Mutex, mpsc},
    thread,
    time::Duration,
};

use gym_telemetry_core::EventLoopMetrics;
use gym_telemetry_runtime::{LagSettings, LagWatcher};
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use tokio::runtime::{Builder, Handle};

/// The lines of the log.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn lines(&self) -> Vec<String> {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap().lines().map(str::to_owned).collect()
    }
}

impl Write for Log {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(text)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The waits in the log that are warnings of this loop, in milliseconds.
fn logged(log: &Log) -> Vec<f64> {
    let lines = log.lines();
    let warnings = lines.iter().filter(|line| line.contains("WARN") && line.contains("event_loop=\"server\""));
    warnings.map(|line| line.split_once("lag_ms=").unwrap().1.parse().unwrap()).collect()
}

/// Blocks the loop until it has been late for longer than ever before, and by 100 ms.
fn block(event_loops: &EventLoopMetrics, runtime: &Handle) -> (mpsc::Sender<()>, f64) {
    let seen = || event_loops.snapshot().remove(0);
    let longest = seen().worst_lag + Duration::from_millis(100);
    let (release, released) = mpsc::channel();
    runtime.spawn(async move { released.recv().is_err() });
    while seen().current_lag.unwrap() < longest {
        thread::sleep(Duration::from_millis(1));
    }
    (release, seen().current_lag.unwrap().as_secs_f64() * 1e3)
}

#[test]
fn each_episode_is_one_warning_with_its_length() {
    let log = Log::default();
    let writer = log.clone();
    tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).init();
    let event_loops = EventLoopMetrics::new(&SdkMeterProvider::builder().build().meter("test"));
    let runtime = Builder::new_multi_thread().worker_threads(1).build().unwrap();
    let settings = LagSettings::new().interval(Duration::from_millis(5)).warn_after(Duration::from_millis(50));
    let watcher = LagWatcher::with_settings(event_loops.clone(), settings).unwrap();
    watcher.watch("server", runtime.handle());

    let longer_than = |least: f64| logged(&log).into_iter().filter(|lag| *lag >= least).count();
    for _ in 0..3 {
        let (release, lag) = block(&event_loops, runtime.handle());
        assert_eq!(longer_than(lag), 0, "it is not over");
        drop(release);
        let samples = event_loops.snapshot()[0].samples;
        while event_loops.snapshot()[0].samples < samples + 5 {
            thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(longer_than(lag), 1, "{:#?}", log.lines());
    }

    // One that still lasts when the watch ends is not lost.
    let (release, lag) = block(&event_loops, runtime.handle());
    drop(watcher);
    assert_eq!(longer_than(lag), 1, "{:#?}", log.lines());
    assert_eq!(longer_than(50.0), logged(&log).len(), "what is shorter is not worth a line");
    drop(release);
}
