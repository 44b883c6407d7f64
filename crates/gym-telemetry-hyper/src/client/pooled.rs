use std::{
    fmt,
    sync::Arc,
    task::{Context, Poll},
};

use gym_telemetry_core::{HttpClientRecorder, PoolRecorder};
use http::{Request, Response};
use tower_service::Service;

use super::{Builder, Connect, PooledBody, RequestBody, ResponseFuture, builder::Settings, call::call};
use crate::{
    CallError, Destination, Slots,
    connections::{Connection, Pool},
    host::HostKey,
};

/// An HTTP client whose calls queue for a limited number of slots, where metrics can see them.
///
/// A call takes a slot, then an idle connection or a new one, and holds both until its response has ended: see
/// [`PooledBody`]. Cloning the client shares the slots and the connections. As a [`Service`] it is always ready, since
/// it does not know which host is meant before it is called; the call itself waits.
///
/// # Example
///
/// ```no_run
/// use std::time::Duration;
///
/// use bytes::Bytes;
/// use gym_telemetry_core::PoolMetrics;
/// use gym_telemetry_hyper::{Destination, Limits, PooledClient};
/// use http::Request;
/// use http_body_util::{BodyExt as _, Full};
/// # use opentelemetry::metrics::MeterProvider as _;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
/// let metrics = PoolMetrics::new(&meter);
/// let client = PooledClient::builder(&metrics)
///     .limits(Limits::new().total(100).per_host(8))
///     .acquire_timeout(Duration::from_secs(60))
///     .connect_timeout(Duration::from_secs(5))
///     .build_http();
///
/// let request = Request::post("http://127.0.0.1:8000/v1/responses")
///     .extension(Destination::new("policy_model"))
///     .body(Full::new(Bytes::from_static(b"{}")))?;
/// let response = client.request(request).await?;
/// let body = response.into_body().collect().await?.to_bytes();
/// # drop(body);
/// # Ok(())
/// # }
/// ```
pub struct PooledClient<C, B: Send + 'static> {
    inner: Arc<Inner<C, B>>,
}

/// A client's pool at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolSnapshot {
    /// Slots that are held.
    pub held: usize,
    /// Calls that wait for a slot.
    pub waiting: usize,
    /// Open sockets, idle ones included.
    pub sockets: usize,
    /// Connections that another call could use at once.
    pub idle: usize,
    /// Hosts of which anything is known: a slot held or awaited, or a socket open.
    pub hosts: usize,
}

/// What the clones of a client share.
#[derive(Debug)]
pub(super) struct Inner<C, B: Send + 'static> {
    pub(super) connector: C,
    pub(super) settings: Settings,
    pub(super) recorder: PoolRecorder,
    pub(super) http: Option<HttpClientRecorder>,
    /// Of a request that names none.
    pub(super) destination: Destination,
    pub(super) slots: Slots<HostKey>,
    pub(super) pool: Arc<Pool<Connection<B>>>,
}

impl PooledClient<(), ()> {
    /// Begins a client that counts with this recorder.
    pub fn builder(recorder: impl Into<PoolRecorder>) -> Builder {
        Builder::new(recorder.into())
    }
}

impl<C, B: Send + 'static> PooledClient<C, B> {
    pub(super) fn new(inner: Inner<C, B>) -> Self {
        Self { inner: Arc::new(inner) }
    }

    /// How the pool is now.
    #[must_use]
    pub fn snapshot(&self) -> PoolSnapshot {
        let slots = self.inner.slots.snapshot();
        let (sockets, idle, hosts) = self.inner.pool.read();
        PoolSnapshot { held: slots.held, waiting: slots.waiting, sockets, idle, hosts: hosts.max(slots.hosts) }
    }
}

impl<C: Connect, B: RequestBody> PooledClient<C, B> {
    /// Sends a request, and waits for the head of its response.
    ///
    /// Redirects are not followed. A request is sent again only if nothing of it went out, since the server had closed
    /// the idle connection that it was to take, or if it has no body and the server would not take its stream.
    ///
    /// # Panics
    ///
    /// The future, outside of a tokio runtime with time enabled.
    pub fn request(&self, request: Request<B>) -> ResponseFuture<B> {
        ResponseFuture::new(call(Arc::clone(&self.inner), Box::new(request)))
    }
}

impl<C: Connect, B: RequestBody> Service<Request<B>> for PooledClient<C, B> {
    type Response = Response<PooledBody<B>>;
    type Error = CallError;
    type Future = ResponseFuture<B>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), CallError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> ResponseFuture<B> {
        self.request(request)
    }
}

impl<C, B: Send + 'static> Clone for PooledClient<C, B> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner) }
    }
}

impl<C, B: Send + 'static> fmt::Debug for PooledClient<C, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PooledClient").field("pool", &self.snapshot()).finish_non_exhaustive()
    }
}
