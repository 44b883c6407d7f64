//! Starting and stopping.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::mpsc;
use std::time::Duration;

use gym_telemetry_collector::{Collector, Settings, StartError, Update};
use prost::Message;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{collector, counter, head, protobuf, send};

#[tokio::test]
async fn each_port_is_its_own_and_known() {
    let collector = collector(Settings::new()).await;
    let [grpc, http] = [collector.grpc_address(), collector.http_address()];
    assert!(grpc.ip().is_loopback() && http.ip().is_loopback());
    assert!(grpc.port() != 0 && http.port() != 0 && grpc != http);
    assert_eq!(collector.grpc_endpoint(), format!("http://127.0.0.1:{}", grpc.port()));
    assert_eq!(collector.http_endpoint(), format!("http://127.0.0.1:{}", http.port()));
}

#[tokio::test]
async fn addresses_that_others_can_reach_have_to_be_allowed() {
    let everywhere = SocketAddr::from(([0, 0, 0, 0], 0));
    for settings in [Settings::new().grpc_address(everywhere), Settings::new().http_address(everywhere)] {
        let error = Collector::start(settings.clone()).await.unwrap_err();
        assert!(matches!(error, StartError::NotLoopback { address, .. } if address == everywhere));
        assert_eq!(error.to_string(), "0.0.0.0:0 is not a loopback address: others may only send with a token");
        assert!(Collector::start(settings.clone().allow_remote("")).await.is_err(), "no token is one");
        let settings = settings.allow_remote("secret");
        assert!(!format!("{settings:?}").contains("secret"));
        let collector = collector(settings).await;
        for (brought, status) in
            [("Bearer secret", 200), ("Bearer secre", 401), ("Bearer secret ", 200), ("secret", 401)]
        {
            let mut request = protobuf("/v1/metrics", vec![]);
            request.headers_mut().insert("authorization", brought.parse().unwrap());
            assert_eq!(send(&collector, request).await.status(), status, "{brought}");
        }
        assert_eq!(send(&collector, protobuf("/v1/metrics", vec![])).await.status(), 401);
        assert_eq!(collector.counts().refused_requests, 3);
    }
}

#[tokio::test]
async fn a_port_in_use_is_an_error_with_a_cause() {
    let first = collector(Settings::new()).await;
    let error = Collector::start(Settings::new().http_address(first.http_address())).await.unwrap_err();
    assert_eq!(error.to_string(), format!("cannot listen on {}", first.http_address()));
    let cause = error.source().and_then(|cause| cause.downcast_ref::<std::io::Error>()).unwrap();
    assert_eq!(cause.kind(), std::io::ErrorKind::AddrInUse);
}

#[tokio::test]
async fn shutdown_finishes_what_is_under_way_and_returns_the_last_state() {
    let collector = collector(Settings::new()).await;
    let address = collector.http_address();
    let body = counter(1, 1, 5).encode_to_vec();
    let mut under_way = TcpStream::connect(address).await.unwrap();
    under_way.write_all(head("/v1/metrics", body.len()).as_bytes()).await.unwrap();
    while collector.counts().requests < 1 {
        tokio::task::yield_now().await;
    }
    let idle = TcpStream::connect(address).await.unwrap();
    let shutdown = tokio::spawn(collector.shutdown());
    while TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    assert!(!shutdown.is_finished());
    under_way.write_all(&body).await.unwrap();
    let state = shutdown.await.unwrap();
    assert_eq!(state.sum("requests", |_| true), 5.0);
    let mut answer = Vec::new();
    under_way.read_to_end(&mut answer).await.unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 200"));
    drop(idle);
}

#[tokio::test]
async fn shutdown_does_not_wait_for_those_who_never_finish() {
    let collector = collector(Settings::new().request_timeout(Duration::from_millis(100))).await;
    let mut half_a_head = TcpStream::connect(collector.http_address()).await.unwrap();
    half_a_head.write_all(b"POST /v1/metrics HT").await.unwrap();
    assert_eq!(collector.shutdown().await.resources().len(), 0);
}

#[tokio::test]
async fn a_dropped_collector_stops_to_listen() {
    let collector = collector(Settings::new()).await;
    let addresses = [collector.grpc_address(), collector.http_address()];
    drop(collector);
    for address in addresses {
        while TcpStream::connect(address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test]
async fn an_observer_sees_what_arrives_and_may_panic() {
    let (seen, updates) = mpsc::channel();
    let observer = move |update: &Update<'_>| {
        let number = update.point.data.number().unwrap_or_default();
        let _ = seen.send(number);
        assert!(number < 100.0, "a number that the observer cannot stand");
    };
    let collector = Collector::start_observed(Settings::new(), observer).await.unwrap();
    send(&collector, protobuf("/v1/metrics", counter(1, 1, 5).encode_to_vec())).await;
    let mut client = TcpStream::connect(collector.http_address()).await.unwrap();
    let body = counter(1, 2, 500).encode_to_vec();
    client.write_all(&[head("/v1/metrics", body.len()).as_bytes(), &body].concat()).await.unwrap();
    let mut answer = Vec::new();
    let _ = client.read_to_end(&mut answer).await;
    assert!(answer.is_empty(), "the connection is lost, and nothing else");
    assert_eq!(send(&collector, protobuf("/v1/metrics", counter(1, 3, 7).encode_to_vec())).await.status(), 200);
    assert_eq!(updates.try_iter().collect::<Vec<_>>(), [5.0, 500.0, 7.0]);
    assert_eq!(collector.state().sum("requests", |_| true), 7.0);
}

#[test]
fn it_runs_on_any_runtime() {
    let current = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let several = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    for runtime in [current, several] {
        runtime.block_on(async {
            let collector = collector(Settings::new()).await;
            let sends = (0..50).map(|pid| protobuf("/v1/metrics", counter(pid, 1, 1).encode_to_vec()));
            for request in sends {
                assert_eq!(send(&collector, request).await.status(), 200);
            }
            assert_eq!(collector.shutdown().await.sum("requests", |_| true), 50.0);
        });
    }
}
