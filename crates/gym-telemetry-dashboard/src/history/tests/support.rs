//! Processes that export at given seconds.

use std::collections::BTreeMap;
use std::time::Duration;

use gym_telemetry_collector::Store;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::metrics::v1::{
    AggregationTemporality, Gauge, Metric, NumberDataPoint, ResourceMetrics, ScopeMetrics, Sum, metric,
    number_data_point,
};
use opentelemetry_proto::tonic::resource::v1::Resource;

use crate::history::{Answer, History, Query, Settings};

/// The second that tests count from: a multiple of the usual steps.
const ZERO: u64 = 1_800_000_000;

pub(crate) const CUMULATIVE: i32 = AggregationTemporality::Cumulative as i32;
pub(crate) const DELTA: i32 = AggregationTemporality::Delta as i32;

/// A history and the store that feeds it.
pub(crate) struct Fleet {
    pub(crate) history: History,
    store: Store,
}

impl Fleet {
    pub(crate) fn new(settings: Settings) -> Self {
        let limits = settings.limits();
        let history = History::new(settings);
        let store = Store::observed(limits, history.observer());
        let fleet = Self { history, store };
        fleet.now(0);
        fleet
    }

    /// How many bytes the latest state takes, and how many the past.
    pub(crate) fn held(&self) -> (usize, usize) {
        (self.store.bytes(), self.history.past_bytes())
    }

    /// The clock shows this second.
    pub(crate) fn now(&self, second: u64) {
        self.history.set_clock((ZERO + second) * 1000);
    }

    /// The process exports at this second.
    pub(crate) fn export(&mut self, second: u64, process: &str, metrics: Vec<Metric>) {
        self.now(second);
        self.store.apply(request(process, metrics));
    }

    /// The line of an answer with a single one, by the second.
    pub(crate) fn line(&self, query: Query) -> Vec<Option<f64>> {
        let lines = self.lines(query);
        assert_eq!(lines.len(), 1, "{lines:?}");
        lines.into_values().next().unwrap()
    }

    /// The lines of an answer, by the values of their labels.
    pub(crate) fn lines(&self, query: Query) -> BTreeMap<String, Vec<Option<f64>>> {
        let lines = self.ask(query).lines.into_iter();
        lines.map(|line| (line.labels.into_values().collect::<Vec<_>>().join(" "), line.values)).collect()
    }

    /// The answer to a query of so many seconds, by the second.
    pub(crate) fn ask(&self, query: Query) -> Answer {
        let step = query.step.unwrap_or(Duration::from_secs(1));
        self.history.query(&query.step(step)).unwrap()
    }
}

pub(crate) fn seconds(name: &str, seconds: u64) -> Query {
    Query::new(name).since(Duration::from_secs(seconds))
}

pub(crate) fn request(process: &str, metrics: Vec<Metric>) -> ExportMetricsServiceRequest {
    let resource = Resource { attributes: pairs(&[("service.name", process)]), ..Resource::default() };
    ExportMetricsServiceRequest {
        resource_metrics: vec![ResourceMetrics {
            resource: Some(resource),
            scope_metrics: vec![ScopeMetrics { metrics, ..ScopeMetrics::default() }],
            ..ResourceMetrics::default()
        }],
    }
}

pub(crate) fn pairs(pairs: &[(&str, &str)]) -> Vec<KeyValue> {
    let pair = |(key, value): &(&str, &str)| KeyValue {
        key: (*key).to_owned(),
        value: Some(AnyValue { value: Some(Value::StringValue((*value).to_owned())) }),
        ..KeyValue::default()
    };
    pairs.iter().map(pair).collect()
}

pub(crate) fn nanos(second: u64) -> u64 {
    (ZERO + second) * 1_000_000_000
}

/// A number at a second, counted since another.
pub(crate) fn point(start: u64, second: u64, value: f64) -> NumberDataPoint {
    NumberDataPoint {
        start_time_unix_nano: nanos(start),
        time_unix_nano: nanos(second),
        value: Some(number_data_point::Value::AsDouble(value)),
        ..NumberDataPoint::default()
    }
}

pub(crate) fn with(point: NumberDataPoint, attributes: &[(&str, &str)]) -> NumberDataPoint {
    NumberDataPoint { attributes: pairs(attributes), ..point }
}

pub(crate) fn metric(name: &str, data: metric::Data) -> Metric {
    Metric { name: name.to_owned(), data: Some(data), ..Metric::default() }
}

pub(crate) fn gauge(name: &str, data_points: Vec<NumberDataPoint>) -> Metric {
    metric(name, metric::Data::Gauge(Gauge { data_points }))
}

pub(crate) fn sum(name: &str, temporality: i32, is_monotonic: bool, data_points: Vec<NumberDataPoint>) -> Metric {
    metric(name, metric::Data::Sum(Sum { data_points, aggregation_temporality: temporality, is_monotonic }))
}

pub(crate) fn counter(start: u64, second: u64, value: f64) -> Vec<Metric> {
    vec![sum("requests", CUMULATIVE, true, vec![point(start, second, value)])]
}

pub(crate) fn updown(second: u64, value: f64) -> Vec<Metric> {
    vec![sum("in_flight", CUMULATIVE, false, vec![point(0, second, value)])]
}

pub(crate) fn lag(second: u64, value: f64) -> Vec<Metric> {
    vec![gauge("lag", vec![point(0, second, value)])]
}
