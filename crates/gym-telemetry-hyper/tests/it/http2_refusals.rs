//! HTTP/2 servers that change their mind: fewer streams than before, streams refused, connections given up.

use gym_telemetry_hyper::{CallError, Limits, PooledClient};
use http::Request;
use tokio::{net::TcpListener, task::JoinHandle};

use crate::support::{Accounts, Answer, Body, Client, Frames, Sent, get, text, until, within};

/// A client of a server that does as it is told, frame by frame.
struct Scene {
    accounts: Accounts,
    listener: TcpListener,
    client: Client,
}

impl Scene {
    async fn new() -> Self {
        let accounts = Accounts::new();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let builder = PooledClient::builder(accounts.pool()).limits(Limits::new().per_host(5)).http2_only(true);
        let client = builder.destination("policy_model").build_http();
        Self { accounts, listener, client }
    }

    fn url(&self) -> String {
        format!("http://{}/", self.listener.local_addr().unwrap())
    }

    /// Makes calls without a body, and waits until all of them hold a slot.
    async fn calls(&self, count: usize) -> Vec<JoinHandle<Answer>> {
        let held = self.client.snapshot().held;
        let calls = (0..count).map(|_| tokio::spawn(self.client.request(get(self.url())))).collect();
        until(|| self.client.snapshot().held == held + count).await;
        calls
    }

    async fn accept(&self) -> Frames {
        within(Frames::accept(&self.listener, 100)).await
    }

    /// In the end nothing is held, and the attempts are those that were made.
    fn ends_with(&self, attempts: u64, connects: u64) {
        let Self { accounts, client, .. } = self;
        assert_eq!((client.snapshot().held, client.snapshot().waiting, accounts.in_flight()), (0, 0, 0.0));
        assert_eq!((accounts.attempts(), accounts.connects()), (attempts, (connects, 0)));
        assert_eq!(accounts.waits(), []);
    }
}

async fn is_answered(call: JoinHandle<Answer>) {
    assert_eq!(text(within(call).await.unwrap()).await, "hi");
}

#[tokio::test]
async fn a_server_that_allows_fewer_streams_than_before_makes_later_ones_wait() {
    let scene = Scene::new().await;
    let mut calls = scene.calls(3).await;
    let mut server = scene.accept().await;
    let streams = within(server.requests(3)).await;
    server.allow(1).await;
    assert_eq!(within(server.next()).await, Sent::SettingsAck);

    let late = scene.calls(2).await;
    // Those that are open already may go on; while there are any, no other is opened.
    for (stream, call) in streams.into_iter().zip(calls.drain(..)) {
        server.ping().await;
        assert_eq!(within(server.next()).await, Sent::PingAck);
        server.answer(stream).await;
        is_answered(call).await;
    }
    for call in late {
        let streams = within(server.requests(1)).await;
        server.ping().await;
        assert_eq!(within(server.next()).await, Sent::PingAck, "one at a time");
        server.answer(streams[0]).await;
        is_answered(call).await;
    }
    scene.ends_with(5, 1);
}

#[tokio::test]
async fn a_refused_stream_without_a_body_is_sent_once_more() {
    let scene = Scene::new().await;
    let calls = scene.calls(2).await;
    let mut server = scene.accept().await;
    let streams = within(server.requests(2)).await;
    server.refuse(streams[1]).await;
    let again = within(server.requests(1)).await;
    for stream in [streams[0], again[0]] {
        server.answer(stream).await;
    }
    for call in calls {
        is_answered(call).await;
    }
    scene.ends_with(3, 1);
}

#[tokio::test]
async fn a_server_that_refuses_again_is_not_asked_a_third_time() {
    let scene = Scene::new().await;
    let call = scene.calls(1).await.remove(0);
    let mut server = scene.accept().await;
    for _ in 0..2 {
        let streams = within(server.requests(1)).await;
        server.refuse(streams[0]).await;
    }
    let error = within(call).await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::Send(_)), "{error:?}");
    scene.ends_with(2, 1);
}

#[tokio::test]
async fn a_refused_stream_whose_body_went_out_is_not_sent_again() {
    let scene = Scene::new().await;
    let request = Request::post(scene.url()).body(Body::from("consumed")).unwrap();
    let call = tokio::spawn(scene.client.request(request));
    let mut server = scene.accept().await;
    let streams = within(server.requests(1)).await;
    server.refuse(streams[0]).await;
    let error = within(call).await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::Send(_)), "{error:?}");
    scene.ends_with(1, 1);
    // The connection is none the worse for it.
    let call = scene.calls(1).await.remove(0);
    let streams = within(server.requests(1)).await;
    server.answer(streams[0]).await;
    is_answered(call).await;
    scene.ends_with(2, 1);
}

#[tokio::test]
async fn of_a_connection_that_is_given_up_the_first_streams_end_and_the_others_go_elsewhere() {
    let scene = Scene::new().await;
    let mut calls = scene.calls(2).await;
    let mut old = scene.accept().await;
    let streams = within(old.requests(2)).await;
    old.go_away(streams[0]).await;
    // The second is sent once more, on a new connection, and so is one that comes later.
    let mut new = scene.accept().await;
    let mut moved = within(new.requests(1)).await;
    calls.extend(scene.calls(1).await);
    moved.extend(within(new.requests(1)).await);
    assert_eq!((scene.client.snapshot().held, scene.client.snapshot().sockets), (3, 2));
    for stream in moved {
        new.answer(stream).await;
    }
    for call in calls.drain(1..) {
        is_answered(call).await;
    }
    old.answer(streams[0]).await;
    is_answered(calls.remove(0)).await;
    assert_eq!(within(old.next()).await, Sent::End);
    until(|| scene.client.snapshot().sockets == 1).await;
    scene.ends_with(4, 2);
}

#[tokio::test]
async fn a_request_with_a_body_on_a_connection_that_is_given_up_is_not_sent_again() {
    let scene = Scene::new().await;
    let first = scene.calls(1).await.remove(0);
    let mut server = scene.accept().await;
    let streams = within(server.requests(1)).await;
    let request = Request::post(scene.url()).body(Body::from("consumed")).unwrap();
    let second = tokio::spawn(scene.client.request(request));
    within(server.requests(1)).await;
    server.go_away(streams[0]).await;
    let error = within(second).await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::Send(_)), "{error:?}");
    server.answer(streams[0]).await;
    is_answered(first).await;
    until(|| scene.client.snapshot().sockets == 0).await;
    scene.ends_with(2, 1);
}

/// hyper holds one of them in hand, and does not tell whether it went out: so it is not sent again.
#[tokio::test]
async fn of_those_who_wait_for_a_stream_of_a_connection_that_is_given_up_all_but_the_first_go_elsewhere() {
    let scene = Scene::new().await;
    let open = scene.calls(1).await.remove(0);
    let mut old = within(Frames::accept(&scene.listener, 1)).await;
    let streams = within(old.requests(1)).await;
    let mut waiting = scene.calls(3).await;
    old.ping().await;
    assert_eq!(within(old.next()).await, Sent::PingAck, "they wait");
    old.go_away(streams[0]).await;
    let mut new = scene.accept().await;
    for stream in within(new.requests(2)).await {
        new.answer(stream).await;
    }
    let error = within(waiting.remove(0)).await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::Send(_)), "{error:?}");
    for call in waiting {
        is_answered(call).await;
    }
    old.answer(streams[0]).await;
    is_answered(open).await;
    scene.ends_with(6, 2);
}
