//! OTLP over gRPC, with the generated client.

use std::time::Duration;

use gym_telemetry_collector::{Collector, Limits, Settings};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::metrics::v1::metrics_service_client::MetricsServiceClient;
use opentelemetry_proto::tonic::metrics::v1::ResourceMetrics;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tonic::Code;
use tonic::codec::CompressionEncoding;
use tonic::transport::Channel;

use crate::support::{collector, counter, from_process, gauge, head, int, text};

const LIMIT: usize = 64 << 10;
const EXPORT: &str = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export";

async fn connect(collector: &Collector) -> MetricsServiceClient<Channel> {
    MetricsServiceClient::connect(collector.grpc_endpoint()).await.expect("the collector listens")
}

#[tokio::test]
async fn requests_are_taken_in_plain_and_compressed() {
    let collector = collector(Settings::new()).await;
    let mut client = connect(&collector).await;
    assert_eq!(client.export(counter(1, 10, 5)).await.unwrap().into_inner().partial_success, None);
    let mut client = client.send_compressed(CompressionEncoding::Gzip);
    assert_eq!(client.export(counter(2, 10, 7)).await.unwrap().into_inner().partial_success, None);
    assert_eq!(collector.state().sum("requests", |_| true), 12.0);
    assert_eq!((collector.counts().requests, collector.counts().refused_requests), (2, 0));
}

#[tokio::test]
async fn beyond_loopback_a_token_is_needed() {
    let settings = Settings::new().http_address(([0, 0, 0, 0], 0).into()).allow_remote("secret");
    let collector = collector(settings).await;
    let mut client = connect(&collector).await;
    assert_eq!(client.export(counter(1, 10, 5)).await.unwrap_err().code(), Code::Unauthenticated);
    let mut request = tonic::Request::new(counter(1, 10, 5));
    request.metadata_mut().insert("authorization", "Bearer secret".parse().unwrap());
    client.export(request).await.unwrap();
    assert_eq!((collector.counts().refused_requests, collector.counts().series), (1, 1));
}

#[tokio::test]
async fn points_over_the_limit_are_answered_with_partial_success() {
    let collector = collector(Settings::new().limits(Limits::default().series(1))).await;
    let points = vec![int(1, 1, vec![]), int(1, 1, vec![text("a", "b")])];
    let response = connect(&collector).await.export(from_process(1, vec![gauge("g", points)])).await.unwrap();
    let partial = response.into_inner().partial_success.unwrap();
    assert_eq!(partial.rejected_data_points, 1);
    assert!(partial.error_message.contains("limit of 1 series"));
}

#[tokio::test]
async fn what_is_too_long_is_not_worth_sending_again() {
    let collector = collector(Settings::new().max_request_bytes(LIMIT)).await;
    let mut client = connect(&collector).await;
    let long = || from_process(1, vec![gauge(&"n".repeat(LIMIT), vec![int(1, 1, vec![])])]);
    assert_eq!(client.export(long()).await.unwrap_err().code(), Code::ResourceExhausted);
    let empty_messages = ExportMetricsServiceRequest { resource_metrics: vec![ResourceMetrics::default(); LIMIT / 3] };
    assert_eq!(client.export(empty_messages).await.unwrap_err().code(), Code::ResourceExhausted);
    let mut client = client.send_compressed(CompressionEncoding::Gzip);
    assert_eq!(client.export(long()).await.unwrap_err().code(), Code::ResourceExhausted);
    assert_eq!((collector.counts().refused_requests, collector.counts().series), (3, 0));
    assert!(client.export(counter(1, 1, 1)).await.is_ok(), "the connection goes on");
}

/// Sends bytes as a gRPC message of any service, and returns the code of the answer.
async fn raw(collector: &Collector, path: &'static str, message: &'static [u8]) -> Code {
    let channel = Channel::from_shared(collector.grpc_endpoint()).unwrap().connect().await.unwrap();
    let mut client = tonic::client::Grpc::new(channel);
    client.ready().await.unwrap();
    let outcome = client.unary(tonic::Request::new(message), path.parse().unwrap(), raw_codec::Raw).await;
    outcome.map_or_else(|status| status.code(), |_| Code::Ok)
}

mod raw_codec {
    use bytes::{Buf, BufMut};
    use tonic::Status;
    use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};

    #[derive(Clone, Copy)]
    pub(super) struct Raw;

    impl Codec for Raw {
        type Encode = &'static [u8];
        type Decode = usize;
        type Encoder = Self;
        type Decoder = Self;
        fn encoder(&mut self) -> Self {
            Self
        }
        fn decoder(&mut self) -> Self {
            Self
        }
    }

    impl Encoder for Raw {
        type Item = &'static [u8];
        type Error = Status;
        fn encode(&mut self, message: &'static [u8], wire: &mut EncodeBuf<'_>) -> Result<(), Status> {
            wire.put(message);
            Ok(())
        }
    }

    impl Decoder for Raw {
        type Item = usize;
        type Error = Status;
        fn decode(&mut self, wire: &mut DecodeBuf<'_>) -> Result<Option<usize>, Status> {
            let length = wire.remaining();
            wire.advance(length);
            Ok(Some(length))
        }
    }
}

#[tokio::test]
async fn garbage_is_an_invalid_argument() {
    let collector = collector(Settings::new()).await;
    assert_eq!(raw(&collector, EXPORT, b"\xff\xff\xff").await, Code::InvalidArgument);
    assert_eq!(raw(&collector, EXPORT, b"\x0a\x7ftoo short").await, Code::InvalidArgument);
    assert_eq!(raw(&collector, EXPORT, b"").await, Code::Ok);
    assert_eq!(collector.counts().refused_requests, 2);
}

#[tokio::test]
async fn traces_and_logs_are_thrown_away_and_other_services_are_unknown() {
    let collector = collector(Settings::new()).await;
    for service in [
        "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
        "/opentelemetry.proto.collector.logs.v1.LogsService/Export",
    ] {
        assert_eq!(raw(&collector, service, b"whatever it is").await, Code::Ok);
    }
    assert_eq!((collector.counts().dropped_requests, collector.counts().refused_requests), (2, 0));
    assert_eq!(raw(&collector, "/grpc.health.v1.Health/Check", b"").await, Code::Unimplemented);
}

#[tokio::test]
async fn a_connection_that_speaks_no_http_is_closed() {
    let collector = collector(Settings::new()).await;
    for address in [collector.grpc_address(), collector.http_address()] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(b"\x16\x03\x01\x02\x00 this is TLS, or pretends to be\r\n\r\n").await.unwrap();
        let mut answer = Vec::new();
        // Closed or reset: either way it is over.
        let _ = stream.read_to_end(&mut answer).await;
    }
    assert!(connect(&collector).await.export(counter(1, 1, 1)).await.is_ok());
}

#[tokio::test]
async fn a_message_that_never_ends_is_given_up() {
    let settings = Settings::new().max_concurrent_requests(1).request_timeout(Duration::from_millis(300));
    let collector = collector(settings).await;
    let mut stalled = TcpStream::connect(collector.grpc_address()).await.unwrap();
    // The framing underneath makes no difference to how long a message may take, and this one is easily cut short.
    stalled.write_all(head(EXPORT, 9).as_bytes()).await.unwrap();
    let mut answer = vec![0; 4096];
    let length = stalled.read(&mut answer).await.unwrap();
    let answer = String::from_utf8_lossy(&answer[..length]).into_owned();
    assert!(answer.contains(&format!("grpc-status: {}\r\n", Code::DeadlineExceeded as i32)), "{answer}");
    assert!(connect(&collector).await.export(counter(1, 1, 1)).await.is_ok());
}
