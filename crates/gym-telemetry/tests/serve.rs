//! `Telemetry::serve` over sockets.
#![cfg(test)]
#![cfg(all(feature = "axum", feature = "serve"))]

use std::sync::Arc;

use axum::routing::get;
use gym_telemetry::{
    RequestSnapshot, Settings, Telemetry,
    tower::{MeteredRouter, RequestMetricsLayer},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::Notify,
};

/// What the test and the handler tell each other.
#[derive(Default)]
struct Signals {
    entered: Notify,
    go_on: Notify,
    stop: Notify,
}

/// A server whose handler waits for the test, and one connection to it.
async fn serve(signals: &Arc<Signals>) -> (Telemetry, tokio::task::JoinHandle<std::io::Result<()>>, TcpStream) {
    let telemetry = Telemetry::start(Settings::default()).unwrap();
    let handler = {
        let signals = Arc::clone(signals);
        move || async move {
            signals.entered.notify_one();
            signals.go_on.notified().await;
            "done"
        }
    };
    let app = MeteredRouter::new().route("/work/{id}", get(handler));
    let app = app.metered(RequestMetricsLayer::new(telemetry.requests())).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = {
        let signals = Arc::clone(signals);
        async move { signals.stop.notified().await }
    };
    let server = telemetry.serve(listener, app).graceful_shutdown(stop);
    let server = tokio::spawn(server.into_future());
    (telemetry, server, TcpStream::connect(address).await.unwrap())
}

const REQUEST: &[u8] = b"GET /work/7 HTTP/1.1\r\nhost: test\r\n\r\n";

#[tokio::test]
async fn a_request_under_way_is_answered_before_the_server_ends() {
    let signals = Arc::default();
    let (telemetry, server, mut client) = serve(&signals).await;
    client.write_all(REQUEST).await.unwrap();
    signals.entered.notified().await;
    signals.stop.notify_one();
    tokio::task::yield_now().await;
    assert!(!server.is_finished());

    signals.go_on.notify_one();
    server.await.unwrap().unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("done"), "{answer}");
    let RequestSnapshot { received, in_flight, responses, .. } = telemetry.requests().snapshot();
    assert_eq!((received, in_flight, responses[&200]), (1, 0, 1));
}

#[tokio::test]
async fn a_client_that_leaves_before_the_head_is_one_cancellation_of_its_route() {
    let signals = Arc::default();
    let (telemetry, server, mut client) = serve(&signals).await;
    client.write_all(REQUEST).await.unwrap();
    signals.entered.notified().await;
    drop(client);
    signals.stop.notify_one();
    // The server ends once the request has: by the client's leaving alone, since nobody lets the handler go on.
    server.await.unwrap().unwrap();
    let seen = telemetry.requests().snapshot();
    assert_eq!((seen.received, seen.in_flight, seen.responses_total()), (1, 0, 0));
    let cancelled: Vec<_> =
        seen.cancelled.iter().map(|entry| (&*entry.route, entry.phase.as_str(), entry.count)).collect();
    assert_eq!(cancelled, [("/work/{id}", "before_response_start", 1)]);
}
