//! OTLP over HTTP/1.1.

use std::time::Duration;

use bytes::Bytes;
use gym_telemetry_collector::{Limits, Settings};
use http_body_util::Full;
use hyper::Request;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceResponse;
use prost::Message;
use serde_json::{Value as Json, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tonic::Code;

use crate::support::{collector, counter, from_process, gauge, gzip, head, int, protobuf, refusal, send, text};

const LIMIT: usize = 64 << 10;

fn small() -> Settings {
    Settings::new().max_request_bytes(LIMIT)
}

fn with_header(mut request: Request<Full<Bytes>>, name: &'static str, value: &str) -> Request<Full<Bytes>> {
    request.headers_mut().insert(name, value.parse().unwrap());
    request
}

#[tokio::test]
async fn protobuf_is_taken_in_plain_and_compressed() {
    let collector = collector(small()).await;
    let plain = protobuf("/v1/metrics", counter(1, 10, 5).encode_to_vec());
    let compressed = protobuf("/v1/metrics", gzip(&counter(2, 10, 7).encode_to_vec()));
    for request in [plain, with_header(compressed, "content-encoding", "gzip")] {
        let response = send(&collector, request).await;
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "application/x-protobuf");
        assert!(response.body().is_empty(), "nothing was refused");
    }
    assert_eq!(collector.state().sum("requests", |_| true), 12.0);
    let counts = collector.counts();
    assert_eq!((counts.requests, counts.refused_requests, counts.series), (2, 0, 2));
    assert_eq!(counts.points.accepted, 2);
    assert!(counts.bytes > 0);
}

#[tokio::test]
async fn json_is_taken_in_and_answered_in_json() {
    let collector = collector(small()).await;
    let body = json!({"resourceMetrics": [{
        "resource": {"attributes": [{"key": "process.pid", "value": {"intValue": "1"}}]},
        "scopeMetrics": [{"metrics": [
            {"name": "requests", "sum": {"aggregationTemporality": 2, "isMonotonic": true, "dataPoints": [
                {"timeUnixNano": "10", "asInt": "5", "attributes": []},
                {"timeUnixNano": "10", "attributes": [{"key": "a", "value": {"stringValue": "b"}}]},
            ]}},
        ]}],
    }]});
    let request =
        with_header(protobuf("/v1/metrics", body.to_string()), "content-type", "Application/JSON; charset=utf-8");
    let response = send(&collector, request).await;
    assert_eq!(
        (response.status().as_u16(), &response.headers()["content-type"]),
        (200, &"application/json".parse().unwrap())
    );
    let answer: Json = serde_json::from_slice(response.body()).unwrap();
    assert_eq!(answer["partialSuccess"]["rejectedDataPoints"].as_i64(), Some(1));
    assert!(answer["partialSuccess"]["errorMessage"].as_str().unwrap().contains("without a number"));
    assert_eq!(collector.state().sum("requests", |_| true), 5.0);

    let request = with_header(protobuf("/v1/metrics", r#"{"resourceMetrics": 5}"#), "content-type", "application/json");
    let response = send(&collector, request).await;
    let answer: Json = serde_json::from_slice(response.body()).unwrap();
    assert_eq!((response.status().as_u16(), &answer["code"]), (400, &json!(Code::InvalidArgument as i32)));
}

#[tokio::test]
async fn a_page_in_a_browser_sends_nothing() {
    let collector = collector(small()).await;
    let request = protobuf("/v1/metrics", counter(1, 10, 5).encode_to_vec());
    let response = send(&collector, with_header(request, "origin", "http://evil.example")).await;
    let (status, code, message) = refusal(&response);
    assert_eq!((status, code), (403, Code::PermissionDenied as i32), "{message}");
    assert_eq!(collector.counts().series, 0);
}

#[tokio::test]
async fn points_over_the_limit_are_answered_with_partial_success() {
    let collector = collector(small().limits(Limits::default().series(1))).await;
    let points = vec![int(1, 1, vec![]), int(1, 1, vec![text("a", "b")])];
    let request = protobuf("/v1/metrics", from_process(1, vec![gauge("g", points)]).encode_to_vec());
    let response = send(&collector, request).await;
    assert_eq!(response.status(), 200);
    let partial = ExportMetricsServiceResponse::decode(response.into_body()).unwrap().partial_success.unwrap();
    assert_eq!(partial.rejected_data_points, 1);
    assert!(partial.error_message.contains("limit of 1 series"));
    assert_eq!(collector.counts().points.over_limit, 1);
}

#[tokio::test]
async fn malformed_bodies_are_bad_requests() {
    let collector = collector(small()).await;
    let whole = counter(1, 1, 1).encode_to_vec();
    let truncated = protobuf("/v1/metrics", whole[..whole.len() / 2].to_vec());
    let garbage = protobuf("/v1/metrics", vec![0xff; 100]);
    let not_text = protobuf("/v1/metrics", b"\x0a\x04\x12\x02\x1a\x00\x0a\x03\x1a\x01\xff".to_vec());
    let not_gzip = with_header(protobuf("/v1/metrics", whole), "content-encoding", "gzip");
    for request in [truncated, garbage, not_text, not_gzip] {
        let (status, code, message) = refusal(&send(&collector, request).await);
        assert_eq!((status, code), (400, Code::InvalidArgument as i32), "{message}");
        assert!(!message.is_empty());
    }
    assert_eq!(collector.counts().refused_requests, 4);
    assert_eq!(send(&collector, protobuf("/v1/metrics", counter(1, 1, 1).encode_to_vec())).await.status(), 200);
}

#[tokio::test]
async fn what_is_too_long_is_too_large_in_whatever_form() {
    let collector = collector(small()).await;
    let long = protobuf("/v1/metrics", vec![0; LIMIT + 1]);
    let bomb = with_header(protobuf("/v1/metrics", gzip(&vec![0; 200 * LIMIT])), "content-encoding", "gzip");
    let empty_messages = protobuf("/v1/metrics", [0x0a, 0x00].repeat(LIMIT / 2));
    for request in [long, bomb, empty_messages] {
        let (status, code, message) = refusal(&send(&collector, request).await);
        assert_eq!((status, code), (413, Code::ResourceExhausted as i32), "{message}");
    }
    assert_eq!(collector.counts().series, 0);
}

#[tokio::test]
async fn a_body_of_unknown_length_is_cut_off_at_the_limit() {
    let collector = collector(small()).await;
    let mut stream = TcpStream::connect(collector.http_address()).await.unwrap();
    let head = head("/v1/metrics", 0).replace("content-length: 0", "transfer-encoding: chunked");
    stream.write_all(head.as_bytes()).await.unwrap();
    let chunk = [format!("{:x}\r\n", 1 << 10).as_bytes(), &[0; 1 << 10], b"\r\n"].concat();
    // Written until the answer is there: the sender never says that it is done.
    let (mut answer, mut sender) = stream.split();
    let send = async {
        while sender.write_all(&chunk).await.is_ok() {}
        std::future::pending::<()>().await;
    };
    let mut start = [0; 12];
    tokio::select! {
        () = send => {}
        read = answer.read_exact(&mut start) => drop(read.unwrap()),
    }
    assert_eq!(&start, b"HTTP/1.1 413");
}

#[tokio::test]
async fn the_wrong_type_encoding_path_or_method_is_named() {
    let collector = collector(small()).await;
    let body = counter(1, 1, 1).encode_to_vec();
    let good = || protobuf("/v1/metrics", body.clone());

    let mut untyped = good();
    untyped.headers_mut().remove("content-type");
    for request in [untyped, with_header(good(), "content-type", "text/plain")] {
        let (status, code, _) = refusal(&send(&collector, request).await);
        assert_eq!((status, code), (415, Code::InvalidArgument as i32));
    }
    let response = send(&collector, with_header(good(), "content-encoding", "br")).await;
    assert_eq!((refusal(&response).0, &response.headers()["accept-encoding"]), (415, &"gzip".parse().unwrap()));

    let (status, code, _) = refusal(&send(&collector, protobuf("/v1/profiles", body.clone())).await);
    assert_eq!((status, code), (404, Code::Unimplemented as i32));

    let mut get = good();
    *get.method_mut() = hyper::Method::GET;
    let response = send(&collector, get).await;
    assert_eq!((refusal(&response).0, &response.headers()["allow"]), (405, &"POST".parse().unwrap()));
    assert_eq!((collector.counts().refused_requests, collector.counts().requests), (5, 5));
}

#[tokio::test]
async fn traces_and_logs_are_thrown_away_politely() {
    let collector = collector(small()).await;
    for path in ["/v1/traces", "/v1/logs"] {
        let response = send(&collector, protobuf(path, b"whatever it is".to_vec())).await;
        assert_eq!((response.status().as_u16(), response.body().len()), (200, 0));
    }
    assert_eq!((collector.counts().dropped_requests, collector.counts().refused_requests), (2, 0));
    let (status, ..) = refusal(&send(&collector, protobuf("/v1/traces", vec![0; LIMIT + 1])).await);
    assert_eq!(status, 413, "the limit holds for them as well");
}

#[tokio::test]
async fn a_sender_that_stalls_is_given_up() {
    let settings = small().max_concurrent_requests(1).request_timeout(Duration::from_millis(300));
    let collector = collector(settings).await;
    let mut stalled = TcpStream::connect(collector.http_address()).await.unwrap();
    stalled.write_all(head("/v1/metrics", 9).as_bytes()).await.unwrap();
    let mut answer = [0; 12];
    stalled.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 408");
    assert_eq!(send(&collector, protobuf("/v1/metrics", counter(1, 1, 1).encode_to_vec())).await.status(), 200);
}

#[tokio::test]
async fn requests_beyond_the_concurrency_limit_wait_unread() {
    let collector = collector(small().max_concurrent_requests(1)).await;
    let body = counter(1, 1, 1).encode_to_vec();
    let mut first = TcpStream::connect(collector.http_address()).await.unwrap();
    first.write_all(head("/v1/metrics", body.len()).as_bytes()).await.unwrap();
    while collector.counts().requests < 1 {
        tokio::task::yield_now().await;
    }
    let second = send(&collector, protobuf("/v1/metrics", counter(2, 1, 1).encode_to_vec()));
    tokio::pin!(second);
    while collector.counts().requests < 2 {
        tokio::select! {
            biased;
            _ = &mut second => panic!("it is not its turn"),
            () = tokio::task::yield_now() => {}
        }
    }
    assert_eq!(collector.counts().points.accepted, 0);
    first.write_all(&body).await.unwrap();
    assert_eq!(second.await.status(), 200);
    assert_eq!(collector.counts().points.accepted, 2);
}

#[tokio::test]
async fn those_who_wait_too_long_are_told_to_come_back() {
    let settings = small().max_concurrent_requests(1).request_timeout(Duration::from_millis(300));
    let collector = collector(settings).await;
    let mut stalled = Vec::new();
    for _ in 0..20 {
        let mut stream = TcpStream::connect(collector.http_address()).await.unwrap();
        stream.write_all(head("/v1/metrics", 9).as_bytes()).await.unwrap();
        stalled.push(stream);
    }
    // One after the other would take each of them 300 ms, and none of them waits longer than that.
    let mut told = 0;
    for mut stream in stalled {
        let mut answer = vec![0; 4096];
        let length = stream.read(&mut answer).await.unwrap();
        let answer = String::from_utf8_lossy(&answer[..length]).into_owned();
        let busy = answer.starts_with("HTTP/1.1 503") && answer.contains("retry-after: 1\r\n");
        assert!(busy || answer.starts_with("HTTP/1.1 408"), "{answer}");
        told += usize::from(busy);
    }
    assert!(told > 0);
    assert_eq!(collector.counts().refused_requests, 20);
}
