use std::time::Duration;

use gym_telemetry::conventions::{Instrument, Kind, attributes, metrics, resource};
use opentelemetry_proto::tonic::{
    collector::metrics::v1::ExportMetricsServiceRequest,
    common::v1::{AnyValue, KeyValue, any_value::Value},
    metrics::v1::{
        AggregationTemporality, Gauge, Histogram, HistogramDataPoint, Metric, NumberDataPoint, ResourceMetrics,
        ScopeMetrics, Sum, metric, number_data_point,
    },
    resource::v1::Resource,
};
use prost::Message as _;

/// So many values has an attribute with no list of them.
const OPEN: usize = 8;

const CUMULATIVE: i32 = AggregationTemporality::Cumulative as i32;

/// A process that reports what the conventions name, in as many series as wanted.
#[derive(Debug)]
pub(super) struct Exporter {
    resource: Resource,
    /// The attributes of each series.
    metrics: Vec<(&'static Instrument, Vec<Vec<KeyValue>>)>,
    /// When it began, in nanoseconds since 1970.
    start: u64,
    seed: u64,
}

impl Exporter {
    pub(super) fn new(seed: u64, series: usize, start: u64) -> Self {
        let mut metrics: Vec<_> = metrics::ALL.iter().map(|instrument| (instrument, Vec::new())).collect();
        let mut left = series;
        for variation in 0.. {
            let before = left;
            for (instrument, series) in &mut metrics {
                if let Some(attributes) = variant(instrument, variation).filter(|_| left > 0) {
                    series.push(attributes);
                    left -= 1;
                }
            }
            if left == 0 || left == before {
                break;
            }
        }
        metrics.retain(|(_, series)| !series.is_empty());
        let name = pair(resource::SERVER_NAME, format!("server_{seed}"));
        let pid = pair(resource::PROCESS_PID, seed.to_string());
        let resource = Resource { attributes: vec![name, pid], ..Resource::default() };
        Self { resource, metrics, start, seed }
    }

    pub(super) fn series(&self) -> usize {
        self.metrics.iter().map(|(_, series)| series.len()).sum()
    }

    /// Its export after so many seconds, as it is on the wire.
    pub(super) fn export(&self, second: u64) -> Vec<u8> {
        let metrics = self.metrics.iter().map(|(instrument, series)| self.metric(instrument, series, second));
        let scope_metrics = vec![ScopeMetrics { metrics: metrics.collect(), ..ScopeMetrics::default() }];
        let resource = Some(self.resource.clone());
        let resource_metrics = vec![ResourceMetrics { resource, scope_metrics, ..ResourceMetrics::default() }];
        ExportMetricsServiceRequest { resource_metrics }.encode_to_vec()
    }

    fn metric(&self, instrument: &Instrument, series: &[Vec<KeyValue>], second: u64) -> Metric {
        let numbers = |value: fn(u64, u64) -> f64| {
            let point = |(attributes, mix): (&Vec<KeyValue>, u64)| NumberDataPoint {
                attributes: attributes.clone(),
                start_time_unix_nano: self.start,
                time_unix_nano: self.start + nanos(second),
                value: Some(number_data_point::Value::AsDouble(value(second, mix))),
                ..NumberDataPoint::default()
            };
            series.iter().zip(self.seed..).map(point).collect()
        };
        let sum = |data_points, is_monotonic| {
            metric::Data::Sum(Sum { data_points, aggregation_temporality: CUMULATIVE, is_monotonic })
        };
        let data = match instrument.kind {
            Kind::HistogramF64 | Kind::HistogramU64 => {
                let points = series.iter().zip(self.seed..);
                let points = points.map(|(attributes, mix)| self.histogram(instrument, attributes, second, mix));
                metric::Data::Histogram(Histogram {
                    data_points: points.collect(),
                    aggregation_temporality: CUMULATIVE,
                })
            }
            // A quarter of what is counted does not happen.
            Kind::CounterU64 | Kind::ObservableCounterU64 | Kind::ObservableCounterF64 => {
                sum(numbers(|second, mix| if mix % 4 == 0 { 7.0 } else { (second * (1 + mix % 50)) as f64 }), true)
            }
            Kind::UpDownCounterI64 | Kind::ObservableUpDownCounterI64 => {
                sum(numbers(|second, mix| ((second * 37 + mix) % 50) as f64), false)
            }
            _ => metric::Data::Gauge(Gauge {
                data_points: numbers(|second, mix| 1e6 + ((second * 37 + mix) % 501) as f64 / 3.0),
            }),
        };
        let (name, unit) = (instrument.name.to_owned(), instrument.unit.to_owned());
        Metric { name, unit, data: Some(data), ..Metric::default() }
    }

    /// A few values a second, in buckets that move.
    fn histogram(&self, instrument: &Instrument, attributes: &[KeyValue], second: u64, mix: u64) -> HistogramDataPoint {
        let explicit_bounds = instrument.boundaries.to_vec();
        let bucket_counts: Vec<_> =
            (0..=explicit_bounds.len() as u64).map(|at| (second * 3 + at * 5 + mix) / 16).collect();
        HistogramDataPoint {
            attributes: attributes.to_vec(),
            start_time_unix_nano: self.start,
            time_unix_nano: self.start + nanos(second),
            count: bucket_counts.iter().sum(),
            sum: Some(second as f64 * 12.7),
            bucket_counts,
            explicit_bounds,
            ..HistogramDataPoint::default()
        }
    }
}

/// The attributes of one of the series that an instrument can have; nothing when there are not as many.
fn variant(instrument: &Instrument, mut variation: usize) -> Option<Vec<KeyValue>> {
    let mut pairs = Vec::new();
    for used in instrument.attributes {
        let known = attributes::ALL.iter().find(|attribute| attribute.key == used.key);
        let values = known.map_or(&[][..], |attribute| attribute.values.fixed());
        let many = values.len().max(OPEN);
        let at = variation % many;
        variation /= many;
        pairs.push(pair(used.key, values.get(at).map_or_else(|| format!("value_{at}"), |value| (*value).to_owned())));
    }
    (variation == 0).then_some(pairs)
}

fn pair(key: &str, text: String) -> KeyValue {
    let value = Some(AnyValue { value: Some(Value::StringValue(text)) });
    KeyValue { key: key.to_owned(), value, ..KeyValue::default() }
}

fn nanos(second: u64) -> u64 {
    second * Duration::from_secs(1).as_nanos() as u64
}
