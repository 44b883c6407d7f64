//! Many requests on one connection.

use std::{
    convert::Infallible,
    io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use gym_telemetry_hyper::{Limits, PooledClient};
use http::{Request, Response, Uri};
use http_body_util::Full;
use hyper::{body::Incoming, server::conn::http2, service::service_fn};
use hyper_util::{
    client::legacy::connect::HttpConnector,
    rt::{TokioExecutor, TokioIo},
};
use tokio::{
    net::TcpListener,
    sync::{Notify, Semaphore},
};
use tower_service::Service;

use crate::support::{Accounts, Body, Counting, get, poll_once, text, until, within};

/// An HTTP/2 server that answers `hi`; at `/held`, after it was released.
struct Server {
    address: SocketAddr,
    seen: Arc<Seen>,
}

struct Seen {
    accepted: AtomicUsize,
    under_way: AtomicUsize,
    most_under_way: AtomicUsize,
    gate: Semaphore,
    /// As many streams as it allows on a connection.
    most_streams: Option<u32>,
    /// Told to close its connections.
    close: Notify,
}

impl Server {
    async fn start() -> Self {
        Self::start_with(None).await
    }

    async fn start_with(most_streams: Option<u32>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (accepted, under_way, most_under_way) = Default::default();
        let (gate, close) = (Semaphore::new(0), Notify::new());
        let seen = Arc::new(Seen { accepted, under_way, most_under_way, gate, most_streams, close });
        tokio::spawn(Arc::clone(&seen).serve(listener));
        Self { address, seen }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    fn accepted(&self) -> usize {
        self.seen.accepted.load(Ordering::SeqCst)
    }

    fn under_way(&self) -> usize {
        self.seen.under_way.load(Ordering::SeqCst)
    }

    fn most_under_way(&self) -> usize {
        self.seen.most_under_way.load(Ordering::SeqCst)
    }
}

/// Counts a request for as long as it is handled.
struct UnderWay(Arc<Seen>);

impl UnderWay {
    fn new(seen: Arc<Seen>) -> Self {
        seen.most_under_way.fetch_max(seen.under_way.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        Self(seen)
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Seen {
    async fn serve(self: Arc<Self>, listener: TcpListener) {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            self.accepted.fetch_add(1, Ordering::SeqCst);
            let seen = Arc::clone(&self);
            let service = service_fn(move |request| Arc::clone(&seen).answer(request));
            let mut builder = http2::Builder::new(TokioExecutor::new());
            builder.max_concurrent_streams(self.most_streams);
            let connection = builder.serve_connection(TokioIo::new(stream), service);
            let seen = Arc::clone(&self);
            tokio::spawn(async move {
                tokio::select! {
                    _ = connection => (),
                    () = seen.close.notified() => (),
                }
            });
        }
    }

    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
        let under_way = UnderWay::new(Arc::clone(&self));
        if request.uri().path() == "/held" {
            self.gate.acquire().await.unwrap().forget();
        }
        drop(under_way);
        Ok(Response::new(Full::from("hi")))
    }
}

/// Fails as often as it is told, and keeps its callers waiting until then.
#[derive(Clone)]
struct Unsteady {
    failures: Arc<AtomicUsize>,
    connector: HttpConnector,
}

impl Service<Uri> for Unsteady {
    type Response = <HttpConnector as Service<Uri>>::Response;
    type Error = io::Error;
    type Future = std::pin::Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let left = |failures: usize| failures.checked_sub(1);
        let fails = self.failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, left).is_ok();
        let mut connector = self.connector.clone();
        Box::pin(async move {
            tokio::task::yield_now().await;
            if fails {
                return Err(io::Error::other("not this time"));
            }
            connector.call(uri).await.map_err(io::Error::other)
        })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_limits_count_streams_and_one_connection_carries_them() {
    const MOST: usize = 4;
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let connector = Counting::new(HttpConnector::new());
    let builder = PooledClient::builder(accounts.pool()).limits(Limits::new().per_host(MOST)).http2_only(true);
    let client: PooledClient<_, Body> = builder.destination("policy_model").build(connector.clone());
    let calls: Vec<_> = (0..100)
        .map(|_| {
            let call = client.request(get(server.url("/")));
            tokio::spawn(async { text(call.await).await })
        })
        .collect();
    for call in calls {
        assert_eq!(within(call).await.unwrap(), "hi");
    }
    assert_eq!((server.accepted(), connector.most()), (1, 1));
    assert!(server.most_under_way() <= MOST);
    assert_eq!((accounts.attempts(), accounts.connects()), (100, (1, 0)));
    assert_eq!((client.snapshot().held, client.snapshot().sockets, accounts.in_flight()), (0, 1, 0.0));
}

#[tokio::test]
async fn a_stream_holds_its_slot_to_the_end_of_its_body_and_a_cancelled_one_ends_alone() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let builder = PooledClient::builder(accounts.pool()).limits(Limits::new().per_host(2)).http2_only(true);
    let client: PooledClient<_, Body> = builder.destination("policy_model").build_http();
    let unread = client.request(get(server.url("/"))).await.unwrap();
    let cancelled = tokio::spawn(client.request(get(server.url("/held"))));
    until(|| server.under_way() == 1).await;
    let mut waiting = client.request(get(server.url("/")));
    assert!(poll_once(&mut waiting).await.is_pending());
    assert_eq!((client.snapshot().held, client.snapshot().waiting), (2, 1));

    cancelled.abort();
    text(within(waiting).await).await;
    until(|| server.under_way() == 0).await;
    text(Ok(unread)).await;
    assert_eq!((client.snapshot().held, server.accepted()), (0, 1));
    assert_eq!(accounts.waits(), [("per_host", "ok", 1)]);
}

#[tokio::test]
async fn when_the_first_to_connect_fails_or_gives_up_another_connects() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let connector = Unsteady { failures: Arc::new(AtomicUsize::new(1)), connector: HttpConnector::new() };
    let builder = PooledClient::builder(accounts.pool()).http2_only(true).destination("policy_model");
    let client: PooledClient<_, Body> = builder.build(connector);
    let mut calls: Vec<_> = (0..4).map(|_| client.request(get(server.url("/")))).collect();
    for call in &mut calls {
        assert!(poll_once(call).await.is_pending());
    }
    assert_eq!(client.snapshot().sockets, 1, "the others wait for the first");
    within(calls.remove(0)).await.unwrap_err();
    for call in &mut calls {
        assert!(poll_once(call).await.is_pending());
    }
    assert_eq!(client.snapshot().sockets, 1);
    drop(calls.remove(0)); // it was its turn to connect
    for call in calls {
        assert_eq!(text(within(call).await).await, "hi");
    }
    assert_eq!((server.accepted(), accounts.connects()), (1, (1, 2)));
}

#[tokio::test]
async fn a_connection_is_idle_when_its_last_stream_has_ended() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let builder = PooledClient::builder(accounts.pool()).http2_only(true).idle_timeout(Duration::from_millis(1));
    let client: PooledClient<_, Body> = builder.build_http();
    let held = tokio::spawn(client.request(get(server.url("/held"))));
    until(|| server.under_way() == 1).await;
    for _ in 0..10 {
        text(client.request(get(server.url("/"))).await).await;
        tokio::time::sleep(Duration::from_millis(2)).await; // long enough to lie idle, were it not in use
    }
    assert_eq!((server.accepted(), client.snapshot().sockets), (1, 1));
    server.seen.gate.add_permits(1);
    text(within(held).await.unwrap()).await;
    until(|| client.snapshot().sockets == 0).await;
}

#[tokio::test]
async fn a_stream_waits_for_the_total_as_a_connection_does() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let builder = PooledClient::builder(accounts.pool()).limits(Limits::new().total(2)).http2_only(true);
    let client: PooledClient<_, Body> = builder.destination("policy_model").build_http();
    let held: Vec<_> = (0..2).map(|_| tokio::spawn(client.request(get(server.url("/held"))))).collect();
    until(|| server.under_way() == 2).await;
    let waiting = tokio::spawn(client.request(get(server.url("/"))));
    until(|| client.snapshot().waiting == 1).await;
    server.seen.gate.add_permits(2);
    for call in held.into_iter().chain([waiting]) {
        text(within(call).await.unwrap()).await;
    }
    assert_eq!((accounts.waits(), server.accepted(), client.snapshot().held), (vec![("total", "ok", 1)], 1, 0));
}

/// The server's own limit is not ours: no sample, and a slot that is held from the beginning.
#[tokio::test]
async fn who_waits_for_a_stream_that_the_server_allows_holds_a_slot_and_may_give_up() {
    let (accounts, server) = (Accounts::new(), Server::start_with(Some(2)).await);
    let builder = PooledClient::builder(accounts.pool()).limits(Limits::new().per_host(5)).http2_only(true);
    let client: PooledClient<_, Body> = builder.destination("policy_model").build_http();
    // All at once, before the server has said how many it allows.
    let mut calls: Vec<_> = (0..5).map(|_| tokio::spawn(client.request(get(server.url("/held"))))).collect();
    until(|| server.under_way() == 2 && client.snapshot().held == 5).await;
    assert_eq!((accounts.in_flight(), client.snapshot().waiting), (5.0, 0));

    let gave_up = calls.pop().unwrap();
    gave_up.abort();
    assert!(gave_up.await.unwrap_err().is_cancelled());
    until(|| client.snapshot().held == 4).await;
    server.seen.gate.add_permits(5);
    for call in calls {
        assert_eq!(text(within(call).await.unwrap()).await, "hi");
    }
    assert_eq!((server.most_under_way(), server.accepted()), (2, 1));
    assert_eq!((accounts.attempts(), accounts.waits(), accounts.in_flight()), (5, vec![], 0.0));
    assert_eq!((client.snapshot().held, client.snapshot().sockets), (0, 1));
}

#[tokio::test]
async fn a_connection_that_the_server_closed_is_replaced() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let builder = PooledClient::builder(accounts.pool()).http2_only(true).destination("policy_model");
    let client: PooledClient<_, Body> = builder.build_http();
    for accepted in 1..=3 {
        text(within(client.request(get(server.url("/")))).await).await;
        assert_eq!(server.accepted(), accepted);
        server.seen.close.notify_one();
        until(|| client.snapshot().sockets == 0).await;
    }
    assert_eq!((accounts.attempts(), accounts.connects(), client.snapshot().held), (3, (3, 0), 0));
}
