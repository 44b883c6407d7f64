//! The life of a watch: start, samples, servers that come and go, stop.

use std::{
    fs::{self, File},
    io::Write as _,
    time::{Duration, Instant},
};

use gym_telemetry_core::{MemoryMetrics, MemoryUsage};
use gym_telemetry_procfs::{MemoryWatch, MemoryWatchBuilder, PssBudget, WatchError};
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, PeriodicReader, SdkMeterProvider};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::support::{
    fake::{Root, page},
    logs, metrics, until, wait_for_samples,
};

const HOUR: Duration = Duration::from_secs(3600);

/// A watch of process 10 that samples at its start and at its end alone.
fn rarely(root: &Root) -> MemoryWatchBuilder {
    MemoryWatch::builder(metrics()).root(root.path()).interval(HOUR).watch("policy", "resources_servers", 10)
}

/// The names of the servers in the latest sample.
fn names(watch: &MemoryWatch) -> Vec<String> {
    watch.latest().servers.iter().map(|server| server.name.to_string()).collect()
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let root = Root::new();
    let zero = rarely(&root).interval(Duration::ZERO).start().unwrap_err();
    assert!(matches!(zero, WatchError::Interval));
    assert_eq!(zero.to_string(), "the interval between two samples of memory must be longer than zero");
    for duty in [-0.1, 1.1, f64::NAN] {
        let refused = rarely(&root).pss(PssBudget::default().duty(duty)).start().unwrap_err();
        assert!(matches!(refused, WatchError::Duty(_)), "{duty}");
    }
    root.remove("proc");
    let error = rarely(&root).start().unwrap_err();
    assert!(matches!(&error, WatchError::Proc { path, .. } if path.ends_with("proc")));
    assert!(std::error::Error::source(&error).is_some());
}

#[test]
fn it_samples_at_its_start_and_at_its_end() {
    let root = Root::new();
    root.process(10, 1);
    let watch = rarely(&root).start().unwrap();
    until("the first sample is there", || watch.latest().servers.first().map(|server| server.rss.current));
    root.write("proc/10/statm", "20 20 0");
    let last = watch.stop();
    assert_eq!(last.servers[0].rss.current, Some(20 * page()));
    assert_eq!(watch.latest(), last);
}

#[test]
fn starting_and_stopping_twice_does_no_more() {
    let root = Root::new();
    root.process(10, 1);
    let watch = rarely(&root).start().unwrap();
    watch.start().unwrap();
    let last = watch.stop();
    root.write("proc/10/statm", "20 20 0");
    assert_eq!(watch.stop(), last, "no sample without a thread");
    watch.start().unwrap();
    assert_eq!(watch.stop().servers[0].rss.current, Some(20 * page()));
}

#[test]
fn m9_a_server_that_ended_is_gone_with_the_next_sample() {
    let root = Root::new();
    root.process(10, 1);
    root.process(30, 1);
    let watch =
        rarely(&root).interval(Duration::from_millis(1)).watch("judge", "resources_servers", 30).start().unwrap();
    until("both are seen", || (names(&watch) == ["policy", "judge"]).then_some(()));
    root.remove("proc/10");
    until("one is gone", || (names(&watch) == ["judge"]).then_some(()));
    root.process(10, 1).started(1, 700);
    wait_for_samples(&watch, 3);
    assert_eq!(names(&watch), ["judge"], "another process with its id is not it");
}

#[test]
fn servers_are_added_replaced_and_removed_while_it_runs() {
    let root = Root::new();
    root.process(10, 1);
    root.process(30, 1).statm(3, 3);
    let watch = rarely(&root).interval(Duration::from_millis(1)).start().unwrap();
    watch.watch("judge", "resources_servers", 30);
    until("it was added", || (names(&watch) == ["policy", "judge"]).then_some(()));
    watch.watch("policy", "resources_servers", 30);
    until("it was replaced", || watch.latest().servers.iter().all(|server| server.pid == 30).then_some(()));
    watch.unwatch("judge");
    until("it was removed", || (names(&watch) == ["policy"]).then_some(()));
}

#[test]
fn a_server_that_is_not_there_is_left_out_and_said() {
    let root = Root::new();
    logs::listen();
    let watch = rarely(&root).watch("never-there", "resources_servers", 77).start().unwrap();
    assert!(watch.stop().servers.is_empty());
    assert_eq!(logs::lines_with(&["not there to be watched", "never-there"]), 1);
}

#[test]
fn peaks_survive_a_restart_only_if_asked() {
    let peak = |watch: MemoryWatchBuilder, root: &Root| {
        root.process(10, 1).statm(90, 90).shares(900 << 10, 800 << 10);
        let watch = watch.start().unwrap();
        until("the first sample is there", || watch.latest().servers.first().map(|_| ()));
        root.process(10, 1).started(1, 200);
        watch.watch("policy", "resources_servers", 10);
        let server = watch.stop().servers[0].clone();
        assert_eq!(server.rss.current, Some(10 * page()));
        (server.rss.peak, server.pss.peak)
    };
    let root = Root::new();
    assert_eq!(peak(rarely(&root), &root), (Some(10 * page()), Some(5 * page())));
    assert_eq!(peak(rarely(&root).keep_peaks(), &root), (Some(90 * page()), Some(800 << 10)));
}

#[test]
fn m2_a_sample_that_overruns_skips_the_next_and_says_so() {
    let root = Root::new();
    logs::listen();
    root.process(10, 1);
    // Whoever opens a pipe to read it waits for a writer.
    let pipe = root.path().join("proc/meminfo");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let metrics = metrics();
    let watch = MemoryWatch::builder(metrics.clone()).root(root.path()).interval(Duration::from_millis(1));
    let started = Instant::now();
    let watch = watch.watch("policy", "resources_servers", 10).start().unwrap();
    until("several samples are due", || (started.elapsed() > Duration::from_millis(20)).then_some(()));
    assert_eq!(watch.latest().servers.len(), 0, "the first sample goes on, and no other runs beside it");

    let mut writer = File::options().write(true).open(&pipe).unwrap();
    fs::remove_file(&pipe).unwrap();
    writer.write_all(b"MemTotal: 1 kB\n").unwrap();
    drop(writer);
    until("the sample has ended", || (metrics.samples_skipped() >= 10).then_some(()));
    assert_eq!(watch.stop().servers.len(), 1);
    assert!(logs::lines_with(&["samples are skipped"]) > 0);
}

#[test]
fn it_runs_on_no_runtime_and_stops_when_dropped() {
    let root = Root::new();
    root.process(10, 1);
    let metrics = metrics();
    drop(MemoryWatch::builder(metrics.clone()).root(root.path()).interval(HOUR).watch("p", "t", 10).start().unwrap());
    assert_eq!(metrics.latest().servers[0].rss, usage(10 * page(), 10 * page()), "its last sample stays");
}

fn usage(current: u64, peak: u64) -> MemoryUsage {
    let mut usage = MemoryUsage::default();
    usage.see(Some(peak));
    usage.see(Some(current));
    usage
}

#[test]
fn what_was_sampled_is_exported_until_the_recorder_is_dropped() {
    let exporter = InMemoryMetricExporter::default();
    let reader = PeriodicReader::builder(exporter.clone()).build();
    let provider = SdkMeterProvider::builder().with_reader(reader).build();
    let exported = || {
        exporter.reset();
        provider.force_flush().unwrap();
        let metrics = exporter.get_finished_metrics().unwrap();
        let scopes = metrics.iter().flat_map(|metrics| metrics.scope_metrics());
        scopes.flat_map(|scope| scope.metrics()).map(|metric| metric.name().to_owned()).collect::<Vec<_>>()
    };
    let root = Root::new();
    root.process(10, 1);
    let metrics = MemoryMetrics::new(&provider.meter("test"));
    let watch = MemoryWatch::builder(metrics).root(root.path()).interval(HOUR).watch("p", "t", 10).start().unwrap();
    watch.stop();
    let names = exported();
    let expected = [
        "gym.server.memory.usage",
        "gym.server.memory.sampled_peak",
        "gym.server.processes",
        "gym.telemetry.memory.sample_duration_ms",
    ];
    assert!(expected.iter().all(|name| names.iter().any(|seen| seen == name)), "{names:?}");
    drop(watch);
    assert_eq!(exported().iter().filter(|name| name.starts_with("gym.server")).count(), 0);
}
