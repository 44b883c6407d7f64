use std::{future::poll_fn, sync::Arc};

use gym_telemetry_conventions::attributes::EXTERNAL_DESTINATION;
use gym_telemetry_core::{DestinationRecorder, HttpClientCall, HttpClientRecorder, HttpMethod, HttpVersion};
use http::{Method, Request, Response, Version};
use hyper::body::Incoming;
use hyper_util::client::legacy::connect::Connection as _;
use tokio::time::timeout;
use tower_service::Service as _;

use super::{Connect, PooledBody, RequestBody, lease::Lease, pooled::Inner};
use crate::{
    CallError, Destination, MeteredConnector, Slot,
    connections::{Connection, Found, Socket, Unanswered},
    error::BoxError,
    host::HostKey,
};

/// One call, from the first poll to the head of its response. Its request is boxed, since every step of the way would
/// keep a place for it.
pub(super) async fn call<C: Connect, B: RequestBody>(
    client: Arc<Inner<C, B>>,
    request: Box<Request<B>>,
) -> Result<Response<PooledBody<B>>, CallError> {
    let _in_flight = client.recorder.begin();
    let host = HostKey::of(request.uri()).ok_or(CallError::NoHost)?;
    let mut http = client.http_call(&request, &host);
    match client.exchange(request, host).await {
        Ok((response, lease)) => {
            if let Some(http) = &mut http {
                http.respond(response.status().as_u16(), version(response.version()));
            }
            Ok(PooledBody::new(response, lease, http))
        }
        Err(error) => {
            if let Some(http) = http {
                http.fail(error.name());
            }
            Err(error)
        }
    }
}

/// A method as the conventions have it.
fn method(method: &Method) -> HttpMethod {
    let known = HttpMethod::ALL.iter().find(|known| known.as_str() == method.as_str());
    known.copied().unwrap_or(HttpMethod::Other)
}

/// A version of HTTP that hyper speaks, likewise.
fn version(version: Version) -> HttpVersion {
    match version {
        Version::HTTP_10 => HttpVersion::Http10,
        Version::HTTP_2 => HttpVersion::Http2,
        _ => HttpVersion::Http11,
    }
}

impl<C: Connect, B: RequestBody> Inner<C, B> {
    /// The destination that a request names, or that of requests that name none.
    fn destination<'a>(&'a self, request: &'a Request<B>) -> &'a Destination {
        request.extensions().get().unwrap_or(&self.destination)
    }

    /// The call by the HTTP conventions, where they are switched on.
    fn http_call(&self, request: &Request<B>, host: &HostKey) -> Option<Box<HttpClientCall>> {
        let is_known = self.destination(request).name() != EXTERNAL_DESTINATION;
        let server = is_known.then(|| (host.name(), host.port()));
        let begin = |http: &HttpClientRecorder| http.begin(method(request.method()), host.scheme(), server);
        self.http.as_ref().map(begin).map(Box::new)
    }

    /// Sends a request, again if the server never looked at it, and waits for the head of its response.
    async fn exchange(
        &self,
        mut request: Box<Request<B>>,
        host: HostKey,
    ) -> Result<(Response<Incoming>, Lease<B>), CallError> {
        let destination = self.recorder.destination(self.destination(&request).name());
        destination.attempt();
        let slot = self.slot(&host, &destination).await?;
        let mut was_refused = false;
        loop {
            let (mut connection, is_reused) = self.connection(&host, &destination).await?;
            let Unanswered { error, request: unsent, refusal } = match connection.send(request, &host).await {
                Ok(response) => return Ok((response, Lease::new(&self.pool, host, connection, slot))),
                Err(unanswered) => unanswered,
            };
            // The server closed the connection while it lay idle, or would not take the request, which it may say once.
            let is_worth_another = if refusal.is_some() { !was_refused } else { is_reused };
            request = unsent.filter(|_| is_worth_another).ok_or(CallError::Send(error))?;
            was_refused |= refusal.is_some();
            destination.attempt();
        }
    }

    /// A slot for a host, as soon as there is one.
    async fn slot(&self, host: &HostKey, destination: &DestinationRecorder) -> Result<Slot<HostKey>, CallError> {
        let waiting = match self.slots.acquire(host) {
            Ok(slot) => return Ok(slot),
            Err(waiting) => waiting,
        };
        let queued = destination.queue(waiting.constraint());
        let slot = match self.settings.acquire_timeout {
            Some(after) => timeout(after, waiting).await.map_err(|_| CallError::AcquireTimeout { after })?,
            None => waiting.await,
        };
        queued.granted();
        Ok(slot)
    }

    /// A connection for whoever holds a slot, and whether it has been used before.
    async fn connection(
        &self,
        host: &HostKey,
        destination: &DestinationRecorder,
    ) -> Result<(Connection<B>, bool), CallError> {
        if let Some(Found::Reused(connection)) = self.pool.try_get(host) {
            return Ok((connection, true));
        }
        // Boxed, since most calls do without and would be much larger.
        let opening = Box::pin(async {
            match self.pool.get(host).await {
                Found::Reused(connection) => Ok((connection, true)),
                Found::Open(opening, socket) => {
                    let connection = self.open(socket, host, destination).await?;
                    opening.opened(&connection);
                    Ok((connection, false))
                }
            }
        });
        match self.settings.connect_timeout {
            Some(after) => timeout(after, opening).await.unwrap_or(Err(CallError::ConnectTimeout { after })),
            None => opening.await,
        }
    }

    async fn open(
        &self,
        socket: Socket<Connection<B>>,
        host: &HostKey,
        destination: &DestinationRecorder,
    ) -> Result<Connection<B>, CallError> {
        let failed = |error: BoxError| CallError::Connect(error);
        let mut connector = MeteredConnector::new(self.connector.clone(), destination.clone());
        poll_fn(|cx| connector.poll_ready(cx)).await.map_err(|error| failed(error.into()))?;
        let io = connector.call(host.uri()).await.map_err(|error| failed(error.into()))?;
        let connection = if self.settings.http2_only || io.connected().is_negotiated_h2() {
            Connection::http2(io, socket).await
        } else {
            Connection::http1(io, socket).await
        };
        connection.map_err(|error| failed(error.into()))
    }
}
