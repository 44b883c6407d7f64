//! Connections that do not come about.

use std::{
    convert::Infallible,
    future::{Pending, Ready, pending, ready},
    io,
    net::SocketAddr,
    task::{Context, Poll},
    time::Duration,
};

use gym_telemetry_hyper::{CallError, Limits, PooledClient, RequestBody};
use http::{Request, Uri};
use hyper_util::{
    client::legacy::connect::{HttpConnector, dns::Name},
    rt::TokioIo,
};
use tokio::net::TcpStream;
use tower_service::Service;

use crate::support::{Accounts, Body, Counted, Server, client, get, poll_once, text, within};

/// Finds these addresses for every name, or fails.
#[derive(Clone)]
struct Names(Result<Vec<SocketAddr>, &'static str>);

impl Service<Name> for Names {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = Ready<io::Result<Self::Response>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Name) -> Self::Future {
        ready(self.0.clone().map(Vec::into_iter).map_err(io::Error::other))
    }
}

/// Opens nothing, and does not say so either.
#[derive(Clone)]
struct Silent;

impl Service<Uri> for Silent {
    type Response = Counted<TokioIo<TcpStream>>;
    type Error = Infallible;
    type Future = Pending<Result<Counted<TokioIo<TcpStream>>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        pending()
    }
}

fn named<B: RequestBody>(accounts: &Accounts, names: Names) -> PooledClient<HttpConnector<Names>, B> {
    let builder = PooledClient::builder(accounts.pool()).limits(Limits::new().total(1)).destination("policy_model");
    builder.build(HttpConnector::new_with_resolver(names))
}

#[tokio::test]
async fn a_refused_connection_is_a_failed_one_and_the_slot_comes_back() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let client = client(&accounts, Limits::new().total(1));
    let elsewhere = format!("http://127.0.0.2:{}/", server.address().port());
    for _ in 0..3 {
        let error = within(client.request(get(elsewhere.clone()))).await.unwrap_err();
        assert!(matches!(error, CallError::Connect(_)), "{error:?}");
    }
    assert_eq!((accounts.attempts(), accounts.connects(), accounts.waits()), (3, (0, 3), vec![]));
    let after = client.snapshot();
    assert_eq!((after.held, after.sockets, after.hosts, accounts.in_flight()), (0, 0, 0, 0.0));
    text(within(client.request(get(server.url("/")))).await).await;
}

#[tokio::test]
async fn a_name_that_is_not_found_is_a_failed_connection() {
    let accounts = Accounts::new();
    let client = named::<Body>(&accounts, Names(Err("no such name")));
    let error = within(client.request(get("http://model.test/".to_owned()))).await.unwrap_err();
    assert!(matches!(error, CallError::Connect(_)), "{error:?}");
    assert_eq!((accounts.attempts(), accounts.connects(), client.snapshot().held), (1, (0, 1), 0));
}

#[tokio::test]
async fn p5_a_dead_address_before_a_live_one_is_one_connection() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let dead = SocketAddr::from(([127, 0, 0, 2], server.address().port()));
    let client = named(&accounts, Names(Ok(vec![dead, server.address()])));
    text(within(client.request(get(format!("http://model.test:{}/", dead.port())))).await).await;
    assert_eq!((accounts.attempts(), accounts.connects()), (1, (1, 0)));
}

#[tokio::test]
async fn a_connection_that_takes_too_long_is_a_failed_one() {
    let (accounts, after) = (Accounts::new(), Duration::from_millis(10));
    let builder = PooledClient::builder(accounts.pool()).limits(Limits::new().total(1)).destination("policy_model");
    let client: PooledClient<_, Body> = builder.connect_timeout(after).build(Silent);
    let error = within(client.request(get("http://model.test/".to_owned()))).await.unwrap_err();
    assert!(matches!(error, CallError::ConnectTimeout { after: given } if given == after), "{error:?}");
    assert_eq!(error.to_string(), "no connection was opened within 10 ms");
    assert_eq!((accounts.attempts(), accounts.connects()), (1, (0, 1)));
    assert_eq!((client.snapshot().held, client.snapshot().sockets), (0, 0));
}

#[tokio::test]
async fn a_connection_that_nobody_waits_for_any_more_is_a_failed_one() {
    let accounts = Accounts::new();
    let builder = PooledClient::builder(accounts.pool()).limits(Limits::new().total(1)).destination("policy_model");
    let client: PooledClient<_, Body> = builder.build(Silent);
    let mut call = client.request(get("http://model.test/".to_owned()));
    assert!(poll_once(&mut call).await.is_pending());
    assert_eq!((client.snapshot().held, client.snapshot().sockets, accounts.in_flight()), (1, 1, 1.0));
    drop(call);
    assert_eq!((client.snapshot().held, client.snapshot().sockets, accounts.in_flight()), (0, 0, 0.0));
    assert_eq!((accounts.attempts(), accounts.connects()), (1, (0, 1)));
}

#[tokio::test]
async fn a_request_that_goes_nowhere_is_no_attempt() {
    let accounts = Accounts::new();
    let client = client(&accounts, Limits::new());
    for uri in ["/only/a/path", "ftp://127.0.0.1/"] {
        let request = Request::get(uri).body(Body::default()).unwrap();
        assert!(matches!(client.request(request).await, Err(CallError::NoHost)));
    }
    assert_eq!((accounts.attempts(), accounts.in_flight()), (0, 0.0));
}
