//! Where a collector listens and how much it takes.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use crate::server::Token;
use crate::store::Limits;

/// Where a collector listens and how much it takes.
///
/// # Example
///
/// ```
/// use gym_telemetry_collector::{Limits, Settings};
///
/// let settings = Settings::new()
///     .grpc_address(([127, 0, 0, 1], 4317).into())
///     .http_address(([127, 0, 0, 1], 4318).into())
///     .limits(Limits::default().series(50_000));
/// # let _ = settings;
/// ```
#[derive(Debug, Clone)]
#[must_use = "settings do nothing until a collector is started with them"]
pub struct Settings {
    pub(crate) grpc_address: SocketAddr,
    pub(crate) http_address: SocketAddr,
    pub(crate) token: Option<Token>,
    pub(crate) limits: Limits,
    pub(crate) max_request_bytes: usize,
    pub(crate) max_concurrent_requests: usize,
    pub(crate) request_timeout: Duration,
}

impl Settings {
    /// Two free ports of 127.0.0.1, and limits that suit a fleet of a few hundred processes.
    pub fn new() -> Self {
        let free = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        Self {
            grpc_address: free,
            http_address: free,
            token: None,
            limits: Limits::default(),
            max_request_bytes: 4 << 20,
            max_concurrent_requests: 32,
            request_timeout: Duration::from_secs(10),
        }
    }

    /// Where to listen for OTLP over gRPC; port 0 takes a free one.
    pub fn grpc_address(self, grpc_address: SocketAddr) -> Self {
        Self { grpc_address, ..self }
    }

    /// Where to listen for OTLP over HTTP; port 0 takes a free one.
    pub fn http_address(self, http_address: SocketAddr) -> Self {
        Self { http_address, ..self }
    }

    /// Lets it listen where other machines can reach it. Then every sender, on this machine too, has to bring this
    /// token, which must not be empty: `authorization: Bearer ..`. Without an address beyond loopback nothing is asked.
    pub fn allow_remote(self, token: impl Into<String>) -> Self {
        Self { token: Token::new(token.into()), ..self }
    }

    /// Whether other machines could reach it.
    pub(crate) fn is_remote(&self) -> bool {
        [self.grpc_address, self.http_address].iter().any(|address| !address.ip().to_canonical().is_loopback())
    }

    /// How much to hold.
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// How long a request may be, both as sent and decompressed. 4 MiB unless said otherwise.
    pub fn max_request_bytes(self, max_request_bytes: usize) -> Self {
        Self { max_request_bytes, ..self }
    }

    /// How many requests may be read at once, at least one. Others wait for their turn, unread. 32 unless said
    /// otherwise.
    pub fn max_concurrent_requests(self, max_concurrent_requests: usize) -> Self {
        Self { max_concurrent_requests, ..self }
    }

    /// How long a request may wait for its turn, how long it may then take, and how long a shutdown waits for those
    /// that are under way. 10 s unless said otherwise.
    pub fn request_timeout(self, request_timeout: Duration) -> Self {
        Self { request_timeout, ..self }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::new()
    }
}
