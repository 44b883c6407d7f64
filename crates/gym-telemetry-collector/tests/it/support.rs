//! Requests to send, and a plain HTTP client to send them with.

use std::io::Write;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use gym_telemetry_collector::{Collector, Limits, Settings, Snapshot, Store};
use http_body_util::{BodyExt, Full};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue};
use opentelemetry_proto::tonic::metrics::v1::{
    AggregationTemporality, Gauge, Histogram, HistogramDataPoint, Metric, NumberDataPoint, ResourceMetrics,
    ScopeMetrics, Sum, metric, number_data_point,
};
use opentelemetry_proto::tonic::resource::v1::Resource;
use prost::Message;
use tokio::net::TcpStream;

pub(crate) const CUMULATIVE: i32 = AggregationTemporality::Cumulative as i32;
pub(crate) const DELTA: i32 = AggregationTemporality::Delta as i32;

pub(crate) fn pair(key: &str, value: Value) -> KeyValue {
    KeyValue { key: key.to_owned(), value: Some(AnyValue { value: Some(value) }), ..KeyValue::default() }
}

pub(crate) fn text(key: &str, value: &str) -> KeyValue {
    pair(key, Value::StringValue(value.to_owned()))
}

/// What a process with this id sends.
pub(crate) fn from_process(pid: i64, metrics: Vec<Metric>) -> ExportMetricsServiceRequest {
    let attributes = vec![text("service.name", "nemo-gym/agent"), pair("process.pid", Value::IntValue(pid))];
    let scope = InstrumentationScope { name: "gym".to_owned(), ..InstrumentationScope::default() };
    ExportMetricsServiceRequest {
        resource_metrics: vec![ResourceMetrics {
            resource: Some(Resource { attributes, ..Resource::default() }),
            scope_metrics: vec![ScopeMetrics { scope: Some(scope), metrics, ..ScopeMetrics::default() }],
            ..ResourceMetrics::default()
        }],
    }
}

pub(crate) fn metric(name: &str, data: metric::Data) -> Metric {
    Metric { name: name.to_owned(), unit: "1".to_owned(), data: Some(data), ..Metric::default() }
}

pub(crate) fn gauge(name: &str, data_points: Vec<NumberDataPoint>) -> Metric {
    metric(name, metric::Data::Gauge(Gauge { data_points }))
}

pub(crate) fn sum(name: &str, aggregation_temporality: i32, data_points: Vec<NumberDataPoint>) -> Metric {
    metric(name, metric::Data::Sum(Sum { data_points, aggregation_temporality, is_monotonic: true }))
}

pub(crate) fn histogram(name: &str, aggregation_temporality: i32, data_points: Vec<HistogramDataPoint>) -> Metric {
    metric(name, metric::Data::Histogram(Histogram { data_points, aggregation_temporality }))
}

pub(crate) fn int(time: u64, number: i64, attributes: Vec<KeyValue>) -> NumberDataPoint {
    NumberDataPoint {
        attributes,
        start_time_unix_nano: 1,
        time_unix_nano: time,
        value: Some(number_data_point::Value::AsInt(number)),
        ..NumberDataPoint::default()
    }
}

pub(crate) fn double(time: u64, number: f64, attributes: Vec<KeyValue>) -> NumberDataPoint {
    NumberDataPoint { value: Some(number_data_point::Value::AsDouble(number)), ..int(time, 0, attributes) }
}

/// Buckets up to 1, up to 10, and above.
pub(crate) fn buckets(time: u64, buckets: [u64; 3], sum: f64, attributes: Vec<KeyValue>) -> HistogramDataPoint {
    HistogramDataPoint {
        attributes,
        start_time_unix_nano: 1,
        time_unix_nano: time,
        count: buckets.iter().sum(),
        sum: Some(sum),
        bucket_counts: buckets.to_vec(),
        explicit_bounds: vec![1.0, 10.0],
        min: Some(0.5),
        max: Some(sum),
        ..HistogramDataPoint::default()
    }
}

/// One counter at one value, from one process.
pub(crate) fn counter(pid: i64, time: u64, number: i64) -> ExportMetricsServiceRequest {
    from_process(pid, vec![sum("requests", CUMULATIVE, vec![int(time, number, vec![])])])
}

/// What a store with ample limits holds after these requests, none of which it refuses a point of.
pub(crate) fn held(requests: impl IntoIterator<Item = ExportMetricsServiceRequest>) -> Snapshot {
    let mut store = Store::new(Limits::default());
    for request in requests {
        assert_eq!(store.apply(request).partial_success, None);
    }
    store.snapshot()
}

pub(crate) async fn collector(settings: Settings) -> Collector {
    Collector::start(settings).await.expect("loopback has free ports")
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory does not fail");
    encoder.finish().expect("memory does not fail")
}

/// A POST to `path` with the protobuf content type.
pub(crate) fn protobuf(path: &str, body: impl Into<Bytes>) -> Request<Full<Bytes>> {
    let head = Request::post(path).header("host", "localhost").header("content-type", "application/x-protobuf");
    head.body(Full::new(body.into())).expect("a valid request")
}

/// The head of such a request with a body of so many bytes, for a sender that takes its time with them.
pub(crate) fn head(path: &str, length: usize) -> String {
    let content = format!("content-type: application/x-protobuf\r\ncontent-length: {length}");
    format!("POST {path} HTTP/1.1\r\nhost: localhost\r\n{content}\r\n\r\n")
}

/// Sends one request over a connection of its own.
pub(crate) async fn send(collector: &Collector, request: Request<Full<Bytes>>) -> Response<Bytes> {
    let stream = TcpStream::connect(collector.http_address()).await.expect("the collector listens");
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.expect("a new connection works");
    let connection = tokio::spawn(connection);
    let (head, body) = sender.send_request(request).await.expect("there is an answer").into_parts();
    let body = body.collect().await.expect("the answer is complete").to_bytes();
    drop(sender);
    // Whether the server closed the connection or this side did makes no difference here.
    let _ = connection.await;
    Response::from_parts(head, body)
}

/// `google.rpc.Status`, declared anew to see what is on the wire.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct RpcStatus {
    #[prost(int32, tag = "1")]
    pub(crate) code: i32,
    #[prost(string, tag = "2")]
    pub(crate) message: String,
}

/// The status of a refusal, in HTTP and in its protobuf body.
pub(crate) fn refusal(response: &Response<Bytes>) -> (u16, i32, String) {
    assert_eq!(response.headers()["content-type"], "application/x-protobuf");
    let RpcStatus { code, message } = RpcStatus::decode(response.body().clone()).expect("a status in protobuf");
    (response.status().as_u16(), code, message)
}
