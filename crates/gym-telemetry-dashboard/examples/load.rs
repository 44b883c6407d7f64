//! What a large fleet costs: 200 processes with 500 series each that export once a second, over more than an hour.
//!
//! ```text
//! cargo run --release -p gym-telemetry-dashboard --example load [SECONDS [PROCESSES]]
//! ```
//!
//! It takes requests in as fast as it can, bytes as they come from a socket included, on one thread, while the clock of
//! the points runs by the second. Figures are in processor time, so that a busy machine does not change them. Of each
//! process's series 60 % are counters, a quarter of which stand still, 25 % gauges that change each time, and 15 %
//! histograms with 16 buckets that gather a few values a second.

#![expect(clippy::print_stdout, reason = "a program that prints figures")]
#![expect(clippy::unwrap_used, reason = "a program that may stop where it is")]

use std::fs;
use std::time::Duration;

use gym_telemetry_collector::Store;
use gym_telemetry_collector::decode::{Format, decode};
use gym_telemetry_dashboard::history::{History, Over, Query, Settings};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::metrics::v1::{
    AggregationTemporality, Gauge, Histogram, HistogramDataPoint, Metric, NumberDataPoint, ResourceMetrics,
    ScopeMetrics, Sum, metric, number_data_point,
};
use opentelemetry_proto::tonic::resource::v1::Resource;
use prost::Message;

/// Series of each sort in a process, 25 to a metric.
const COUNTERS: u64 = 300;
const GAUGES: u64 = 125;
const HISTOGRAMS: u64 = 75;
const SERIES: u64 = COUNTERS + GAUGES + HISTOGRAMS;
const A_METRIC: u64 = 25;

fn main() {
    let argument = |at, otherwise| std::env::args().nth(at).map_or(otherwise, |number| number.parse().unwrap());
    let (seconds, processes) = (argument(1, 4000), argument(2, 200));
    let history = History::new(Settings::new());
    let mut store = Store::observed(Settings::new().limits(), history.observer());
    let end = now();
    let mut cpu = Duration::ZERO;
    for left in (0..seconds).rev() {
        history.set_clock((end - left * 1_000_000_000) / 1_000_000);
        for process in 0..processes {
            let body = request(process, seconds - left, end - left * 1_000_000_000).encode_to_vec();
            let before = cpu_time();
            let request = decode(&body, Format::Protobuf, 4 << 20).unwrap();
            assert_eq!(store.apply(request).partial_success, None);
            cpu += cpu_time() - before;
        }
        if left % 600 == 0 {
            println!("{:>5} s of exports: {} MB resident", seconds - left, resident() / 1_000_000);
        }
    }
    let points = (processes * SERIES * seconds) as f64;
    println!("{:.0} points a second of one core", points / cpu.as_secs_f64());
    println!("{:.3} of a core at one export a second", cpu.as_secs_f64() / seconds as f64);
    println!("refused: {:?}", history.refused());
    for (name, query) in queries() {
        history.query(&query).unwrap();
        let before = cpu_time();
        let answer = history.query(&query).unwrap();
        let took = cpu_time() - before;
        println!(
            "{name}: {} lines of {} steps in {:.1} ms",
            answer.lines.len(),
            answer.times.len(),
            took.as_secs_f64() * 1e3
        );
    }
}

/// Each reads 25 series of each process.
fn queries() -> [(&'static str, Query); 5] {
    let hour = Duration::from_secs(3600);
    [
        ("rate by process, 5 min", Query::new("counter.1").rate().by("process")),
        ("rate, 1 h", Query::new("counter.1").rate().since(hour)),
        ("total, 5 min", Query::new("counter.1")),
        ("gauge, median, 5 min", Query::new("gauge.1").over(Over::Median)),
        ("quantile by attribute, 5 min", Query::new("histogram.1").quantile(0.99).by("index")),
    ]
}

fn request(process: u64, round: u64, time: u64) -> ExportMetricsServiceRequest {
    let counters = (0..COUNTERS / A_METRIC).map(|metric| {
        let data_points = points(process, metric, round, time, |mix| match mix % 4 {
            0 => 7,
            _ => (round * (1 + mix % 50)).cast_signed(),
        });
        let data = Sum { data_points, aggregation_temporality: CUMULATIVE, is_monotonic: true };
        named("counter", metric, metric::Data::Sum(data))
    });
    let gauges = (0..GAUGES / A_METRIC).map(|metric| {
        let wave = |mix: u64| (1_000_000 + mix * 1000 + (round * 37 + mix) % 501).cast_signed();
        let mut data_points = points(process, metric, round, time, wave);
        // Half of them are no whole numbers.
        for point in data_points.iter_mut().step_by(2) {
            let ratio = ((round * 7919 + process) % 10_007) as f64 / 10_007.0;
            point.value = Some(number_data_point::Value::AsDouble(ratio));
        }
        named("gauge", metric, metric::Data::Gauge(Gauge { data_points }))
    });
    let histograms = (0..HISTOGRAMS / A_METRIC).map(|metric| {
        let data_points = (0..A_METRIC).map(|index| histogram(process, index, round, time)).collect();
        let data = Histogram { data_points, aggregation_temporality: CUMULATIVE };
        named("histogram", metric, metric::Data::Histogram(data))
    });
    let metrics = counters.chain(gauges).chain(histograms).collect();
    let attributes = vec![text("service.name", "load".to_owned()), text("process.pid", process.to_string())];
    let resource = Some(Resource { attributes, ..Resource::default() });
    let scope_metrics = vec![ScopeMetrics { metrics, ..ScopeMetrics::default() }];
    let resource_metrics = vec![ResourceMetrics { resource, scope_metrics, ..ResourceMetrics::default() }];
    ExportMetricsServiceRequest { resource_metrics }
}

const CUMULATIVE: i32 = AggregationTemporality::Cumulative as i32;

fn named(sort: &str, metric: u64, data: metric::Data) -> Metric {
    Metric { name: format!("{sort}.{metric}"), data: Some(data), ..Metric::default() }
}

fn points(process: u64, metric: u64, round: u64, time: u64, value: impl Fn(u64) -> i64) -> Vec<NumberDataPoint> {
    let point = |index| NumberDataPoint {
        attributes: attributes(index),
        start_time_unix_nano: time - round * 1_000_000_000,
        time_unix_nano: time,
        value: Some(number_data_point::Value::AsInt(value(process * 31 + metric * 7 + index))),
        ..NumberDataPoint::default()
    };
    (0..A_METRIC).map(point).collect()
}

fn histogram(process: u64, index: u64, round: u64, time: u64) -> HistogramDataPoint {
    // Three values a second, in buckets that move.
    let bucket_counts: Vec<u64> = (0..16).map(|bucket| (round * 3 + bucket * 5 + process) / 16).collect();
    HistogramDataPoint {
        attributes: attributes(index),
        start_time_unix_nano: time - round * 1_000_000_000,
        time_unix_nano: time,
        count: bucket_counts.iter().sum(),
        sum: Some(round as f64 * 12.7),
        bucket_counts,
        explicit_bounds: (1..16).map(|bound| f64::from(bound * bound)).collect(),
        ..HistogramDataPoint::default()
    }
}

fn attributes(index: u64) -> Vec<KeyValue> {
    vec![text("http.route", "/run".to_owned()), text("index", index.to_string())]
}

fn text(key: &str, value: String) -> KeyValue {
    let value = Some(AnyValue { value: Some(Value::StringValue(value)) });
    KeyValue { key: key.to_owned(), value, ..KeyValue::default() }
}

fn now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    u64::try_from(since.as_nanos()).unwrap()
}

/// What this process has used of all cores.
fn cpu_time() -> Duration {
    let text = fs::read_to_string("/proc/self/schedstat").unwrap();
    Duration::from_nanos(text.split(' ').next().unwrap().parse().unwrap())
}

/// The resident bytes of this process.
fn resident() -> u64 {
    let text = fs::read_to_string("/proc/self/statm").unwrap();
    text.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}
