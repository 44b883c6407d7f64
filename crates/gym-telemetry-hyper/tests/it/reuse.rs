//! Connections that are used again, and those that cannot be.

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    sync::mpsc,
    time::Duration,
};

use gym_telemetry_hyper::{CallError, Limits, PooledClient};
use http::Request;

use crate::support::{Accounts, Body, Client, Server, client, get, text, until, within};

#[tokio::test]
async fn a_connection_that_the_server_closed_while_idle_is_replaced_by_another_attempt() {
    let accounts = Accounts::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let ((close, may_close), (closed, was_closed)) = (mpsc::channel(), mpsc::channel());
    // A thread of its own, so that this one can wait for it without noticing anything.
    let server = std::thread::spawn(move || {
        let mut requests = Vec::new();
        for _ in 0..2 {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 4096];
            let read = stream.read(&mut request).unwrap();
            requests.push(String::from_utf8_lossy(&request[..read]).into_owned());
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi").unwrap();
            may_close.recv().unwrap();
            drop(stream);
            closed.send(()).unwrap();
        }
        requests
    });
    let client = client(&accounts, Limits::new().per_host(1));
    for body in ["first", "second"] {
        let request = Request::post(&url).body(Body::from(body)).unwrap();
        assert_eq!(text(within(client.request(request)).await).await, "hi");
        until(|| client.snapshot().idle == 1).await;
        close.send(()).unwrap();
        was_closed.recv().unwrap();
        // The runtime hears of it, and polls this task before the one that would notice.
        tokio::task::yield_now().await;
    }
    let requests = server.join().unwrap();
    assert!(requests.iter().zip(["first", "second"]).all(|(request, body)| request.ends_with(body)), "{requests:?}");
    assert_eq!((accounts.attempts(), accounts.connects(), accounts.waits()), (3, (2, 0), vec![]));
    assert_eq!((client.snapshot().held, accounts.in_flight()), (0, 0.0));
}

#[tokio::test]
async fn a_request_that_went_out_is_not_sent_again() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let client = client(&accounts, Limits::new());
    text(client.request(get(server.url("/"))).await).await;
    let request = Request::post(server.url("/lost")).body(Body::from("consumed")).unwrap();
    let error = within(client.request(request)).await.unwrap_err();
    assert!(matches!(error, CallError::Send(_)), "{error:?}");
    assert_eq!((accounts.attempts(), server.requests()), (2, vec!["/".to_owned(), "/lost".to_owned()]));
    assert_eq!((client.snapshot().held, accounts.in_flight()), (0, 0.0));
}

#[tokio::test]
async fn a_connection_that_the_server_wants_to_close_is_not_used_again() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let client = client(&accounts, Limits::new().total(1));
    for _ in 0..5 {
        assert_eq!(text(within(client.request(get(server.url("/close")))).await).await, "hi");
    }
    assert_eq!((server.accepted(), server.most_sockets()), (5, 1));
    assert_eq!((accounts.attempts(), accounts.connects()), (5, (5, 0)));
}

#[tokio::test]
async fn a_redirect_that_the_caller_follows_is_an_attempt_of_its_own() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let client = client(&accounts, Limits::new());
    let moved = client.request(get(server.url("/moved"))).await.unwrap();
    assert_eq!(moved.status(), 302);
    let location = moved.headers()["location"].to_str().unwrap();
    assert_eq!(text(client.request(get(server.url(location))).await).await, "hi");
    assert_eq!((accounts.attempts(), accounts.connects()), (2, (1, 0)));
}

#[tokio::test]
async fn replacing_the_client_keeps_the_totals_and_closes_its_sockets() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    for replaced in 1..=3 {
        let client = client(&accounts, Limits::new());
        text(client.request(get(server.url("/"))).await).await;
        drop(client);
        until(|| server.closed() == replaced).await;
    }
    assert_eq!((accounts.attempts(), accounts.connects()), (3, (3, 0)));
}

#[tokio::test]
async fn an_idle_connection_is_closed_in_time() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let builder = PooledClient::builder(accounts.pool()).idle_timeout(Duration::from_millis(10));
    let client: Client = builder.build_http();
    for closed in 1..=2 {
        text(client.request(get(server.url("/"))).await).await;
        until(|| server.closed() == closed).await;
        until(|| client.snapshot().sockets == 0).await;
        assert_eq!((client.snapshot().idle, client.snapshot().hosts), (0, 0));
    }
    let patient: Client = PooledClient::builder(accounts.pool()).idle_timeout(None).build_http();
    for _ in 0..3 {
        text(patient.request(get(server.url("/"))).await).await;
    }
    assert_eq!(server.accepted(), 3);
}

#[tokio::test]
async fn one_host_is_one_host_however_it_is_written() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let client = client(&accounts, Limits::new().per_host(1));
    let port = server.address().port();
    for url in [
        format!("http://LOCALHOST:{port}/"),
        format!("http://localhost:{port}"),
        format!("http://me@localhost:{port}/?q"),
    ] {
        text(client.request(get(url)).await).await;
    }
    assert_eq!((client.snapshot().hosts, server.accepted()), (1, 1));
    assert_eq!(server.requests(), ["/", "/", "/?q"]);
}

#[test]
fn a_client_is_built_outside_of_a_runtime_and_outlives_it() {
    let accounts = Accounts::new();
    let client = client(&accounts, Limits::new().per_host(1));
    for _ in 0..2 {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let answer = runtime.block_on(async {
            let server = Server::start().await;
            let answer = client.request(get(server.url("/"))).await.unwrap();
            text(client.request(get(Server::start().await.url("/"))).await).await;
            answer
        });
        drop(runtime);
        drop(answer); // outside of any runtime
        assert_eq!((client.snapshot().held, client.snapshot().sockets), (0, 0));
    }
}
