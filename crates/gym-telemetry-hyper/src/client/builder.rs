use std::{borrow::Cow, time::Duration};

use gym_telemetry_core::{HttpClientRecorder, PoolRecorder};
use hyper_util::client::legacy::connect::HttpConnector;

use super::{Connect, PooledClient, RequestBody, pooled::Inner};
use crate::{
    Destination, Limits, Slots,
    connections::{Pool, Rules},
};

const DEFAULT_IDLE_TIMEOUT: Duration = Duration::from_secs(90);
const DEFAULT_MAX_IDLE: usize = 1_000;

/// What a [`PooledClient`] is to be like.
#[derive(Debug, Clone)]
#[must_use = "there is no client until it is built"]
pub struct Builder {
    recorder: PoolRecorder,
    http: Option<HttpClientRecorder>,
    destination: Destination,
    limits: Limits,
    idle_timeout: Option<Duration>,
    max_idle: usize,
    settings: Settings,
}

/// What a call needs to know.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Settings {
    pub(super) acquire_timeout: Option<Duration>,
    pub(super) connect_timeout: Option<Duration>,
    pub(super) http2_only: bool,
}

impl Builder {
    pub(super) fn new(recorder: PoolRecorder) -> Self {
        Self {
            recorder,
            http: None,
            destination: Destination::external(),
            limits: Limits::new(),
            idle_timeout: Some(DEFAULT_IDLE_TIMEOUT),
            max_idle: DEFAULT_MAX_IDLE,
            settings: Settings::default(),
        }
    }

    /// How many calls may hold a slot; without this, as many as there are.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The name of the destination of requests that name none themselves; the default is `external`.
    pub fn destination(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.destination = Destination::new(name);
        self
    }

    /// How long a call may wait for a slot; without this, for ever.
    pub fn acquire_timeout(mut self, timeout: Duration) -> Self {
        self.settings.acquire_timeout = Some(timeout);
        self
    }

    /// How long it may take until a new connection stands; without this, as long as the connector takes.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.settings.connect_timeout = Some(timeout);
        self
    }

    /// How long a connection may lie idle before it is closed, or none for as long as the server likes. The default is
    /// 90 s.
    pub fn idle_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.idle_timeout = timeout.into();
        self
    }

    /// How many connections may lie idle over all hosts; beyond that, the one that was used longest ago is closed. The
    /// default is 1 000.
    pub fn max_idle(mut self, connections: usize) -> Self {
        self.max_idle = connections;
        self
    }

    /// Speaks HTTP/2 on every connection. Without this, HTTP/1.1 is spoken unless TLS has agreed on HTTP/2.
    pub fn http2_only(mut self, only: bool) -> Self {
        self.settings.http2_only = only;
        self
    }

    /// Reports each call by the HTTP semantic conventions too, `http.client.request.duration`: from its first poll,
    /// with its time in the queue, to the end of the response. Without this, none is.
    ///
    /// The host is said of calls that have a named destination. Any other may go anywhere: it counts for `external`.
    pub fn http_conventions(mut self, recorder: impl Into<HttpClientRecorder>) -> Self {
        self.http = Some(recorder.into());
        self
    }

    /// A client for `http`.
    pub fn build_http<B: RequestBody>(self) -> PooledClient<HttpConnector, B> {
        self.build(Self::tcp())
    }

    /// A client whose connections are opened by `connector`.
    pub fn build<C: Connect, B: RequestBody>(self, connector: C) -> PooledClient<C, B> {
        let Self { recorder, http, destination, limits, idle_timeout, max_idle, settings } = self;
        let shares = settings.http2_only;
        PooledClient::new(Inner {
            connector,
            settings,
            http,
            destination,
            recorder,
            slots: Slots::new(limits),
            pool: Pool::new(Rules { limits, idle_timeout, max_idle, shares }),
        })
    }

    pub(super) fn tcp() -> HttpConnector {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector
    }

    #[cfg(feature = "rustls")]
    pub(super) fn is_http2_only(&self) -> bool {
        self.settings.http2_only
    }
}
