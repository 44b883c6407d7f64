use std::{
    future::{Ready, ready},
    io, iter,
    net::SocketAddr,
    task::{Context, Poll},
    time::Duration,
};

use anyhow::Result;
use bytes::Bytes;
use gym_telemetry::{
    PoolMetrics,
    hyper::{Limits, PooledClient},
};
use http::{Request, Uri};
use http_body_util::{BodyExt as _, Empty};
use hyper_util::{
    client::legacy::{
        Client,
        connect::{HttpConnector, dns::Name},
    },
    rt::{TokioExecutor, TokioTimer},
};
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::metrics::{ManualReader, SdkMeterProvider};
use tower_service::Service;

pub(super) type Pooled = PooledClient<HttpConnector<Everywhere>, Empty<Bytes>>;
pub(super) type Legacy = Client<HttpConnector<Everywhere>, Empty<Bytes>>;

/// Every name has the address of one server.
#[derive(Debug, Clone)]
pub(super) struct Everywhere(SocketAddr);

impl Service<Name> for Everywhere {
    type Response = iter::Once<SocketAddr>;
    type Error = io::Error;
    type Future = Ready<io::Result<Self::Response>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Name) -> Self::Future {
        ready(Ok(iter::once(self.0)))
    }
}

fn connector(server: SocketAddr) -> HttpConnector<Everywhere> {
    let mut connector = HttpConnector::new_with_resolver(Everywhere(server));
    connector.set_nodelay(true);
    connector
}

/// Ours, with a recorder that reports for as long as the benchmark runs.
pub(super) fn pooled(server: SocketAddr, limits: Limits, idle_timeout: Duration) -> Pooled {
    let provider = SdkMeterProvider::builder().with_reader(ManualReader::default()).build();
    let metrics: &PoolMetrics = Box::leak(Box::new(PoolMetrics::new(&provider.meter("bench"))));
    // The reader is a part of the provider.
    std::mem::forget(provider);
    let builder = PooledClient::builder(metrics).limits(limits).destination("policy_model");
    builder.idle_timeout(idle_timeout).max_idle(10_000).build(connector(server))
}

/// That of hyper-util.
pub(super) fn legacy(server: SocketAddr, idle_timeout: Duration) -> Legacy {
    let mut builder = Client::builder(TokioExecutor::new());
    builder.pool_timer(TokioTimer::new()).pool_idle_timeout(idle_timeout).build(connector(server))
}

/// That of reqwest, for the first of [`hosts`].
pub(super) fn reqwest(server: SocketAddr) -> Result<reqwest::Client> {
    Ok(reqwest::Client::builder().no_proxy().resolve("host0.test", server).build()?)
}

/// Hosts that are all the same server.
pub(super) fn hosts(server: SocketAddr, count: usize) -> Result<Vec<Uri>> {
    (0..count).map(|host| Ok(format!("http://host{host}.test:{}/", server.port()).parse()?)).collect()
}

pub(super) fn get(host: Uri) -> Request<Empty<Bytes>> {
    let mut request = Request::new(Empty::new());
    *request.uri_mut() = host;
    request
}

/// Reads an answer to its end.
pub(super) async fn read<B>(mut body: B) -> Result<()>
where
    B: http_body::Body<Error: std::error::Error + Send + Sync + 'static> + Unpin,
{
    while let Some(frame) = body.frame().await {
        drop(frame?);
    }
    Ok(())
}
