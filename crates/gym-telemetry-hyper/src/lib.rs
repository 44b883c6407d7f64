//! An HTTP client whose calls wait where metrics can see them: limits, a fair queue, and an account of both.
//!
//! ```
//! use bytes::Bytes;
//! use gym_telemetry_core::PoolMetrics;
//! use gym_telemetry_hyper::{Destination, Limits, PooledClient};
//! use http::Request;
//! use http_body_util::{BodyExt as _, Full};
//! # use opentelemetry::metrics::MeterProvider as _;
//! # use tokio::{io::{AsyncReadExt as _, AsyncWriteExt as _}, net::TcpListener};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
//! # let listener = TcpListener::bind("127.0.0.1:0").await?;
//! # let url = format!("http://{}/v1/responses", listener.local_addr()?);
//! # tokio::spawn(async move {
//! #     let (mut stream, _) = listener.accept().await?;
//! #     stream.read(&mut [0; 4096]).await?;
//! #     stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi").await
//! # });
//! let metrics = PoolMetrics::new(&meter);
//! let client = PooledClient::builder(&metrics).limits(Limits::new().total(100).per_host(8)).build_http();
//!
//! let request = Request::post(url).extension(Destination::new("policy_model")).body(Full::<Bytes>::from("{}"))?;
//! let response = client.request(request).await?; // the slot is held …
//! assert_eq!(response.into_body().collect().await?.to_bytes(), "hi"); // … until here
//! assert_eq!(metrics.destinations()[0].attempts, 1);
//! # Ok(())
//! # }
//! ```
//!
//! # What is here
//!
//! * [`PooledClient`] is the client.
//! * [`MeteredConnector`] and [`InFlight`], with their layers, are for those who keep another client.
//! * [`Slots`] is the queue alone.
//! * [`Capacity`] divides limits among workers and says, once, what will not fit.
//!
//! # The life of a call
//!
//! A call begins with its first poll. It is an *attempt* from then on, and *in flight* until the head of its response.
//!
//! 1. It takes a **slot**, or a place in the queue: one sample of the queue's duration, however often it is woken. A
//!    free slot goes to whoever came first, except that nobody waits behind a host that is full while its own has
//!    room.
//! 2. It takes an idle **connection**, or opens one: one sample of the connection's duration, over all addresses. If
//!    the server had closed an idle one and nothing of the request went out, it takes another, as another attempt.
//! 3. The end of its response's body, or its drop, gives the slot back. The connection follows as soon as it can carry
//!    another request; if it cannot, because its answer was left unread or its request unfinished, it is closed.
//!
//! Whatever else ends a call gives the same things back in the same order: an error, a timeout, a panic, or dropping
//! the future wherever it is.
//!
//! # What is exact
//!
//! The limits bound the calls, and the sockets too. An idle socket counts, and so does one that is being closed: no
//! host has more of them open than its limit, nor have all together more than the total. Where idle sockets of other
//! hosts take the total up, the oldest is closed to make room. That, and the moment that a connection takes to settle,
//! are no waits for a limit and no samples of the queue. (A connector that races two addresses may have both half
//! open.)
//!
//! # Why it is not the legacy client beneath a limiter
//!
//! hyper-util's legacy client opens a connection while it looks for an idle one, lets the loser connect in the
//! background, and takes connections back by tasks of its own. Whoever gets a slot may then find no idle connection
//! though one is about to be there, and opens a socket beyond the limit; and nothing outside of that client sees which
//! sockets there are. The composable pools race in the same way. So this crate speaks HTTP through hyper's connections
//! and keeps account of them itself: one lock decides about slots, another about sockets. The connectors are those of
//! hyper-util.
//!
//! # HTTP/2
//!
//! A slot is a stream: a limit of 8 per host lets 8 requests be under way there, all on one connection. While it is
//! not known whether a host speaks HTTP/2, which TLS tells, a burst opens several connections, no more than slots; one
//! of them stays. A server that allows fewer streams makes the rest wait within the connection, slot in hand: none is
//! sent to be refused, and no sample is made, since no limit of the client bound.
//!
//! A server may refuse a stream all the same, or give the connection up and name the last stream that it serves. A
//! request that it thereby says it has not looked at is sent once more, as another attempt, if it has no body; one with
//! a body fails, since what was read of that is gone. Streams up to the last end as they would have, and whoever comes
//! later gets another connection. Of those who wait within the one that is given up, the next in turn fails, since
//! nobody can tell whether its request went out; the others go elsewhere.
//!
//! # Features
//!
//! * `rustls`: `https`, by `Builder::build_https`.

mod capacity;
mod client;
mod connect;
mod connections;
mod destination;
mod error;
mod host;
mod in_flight;
mod slots;

pub use capacity::{Capacity, CapacityError, CapacityReport, CapacityWarning};
pub use client::{Builder, Connect, PoolSnapshot, PooledBody, PooledClient, RequestBody, ResponseFuture};
pub use connect::{ConnectFuture, MeteredConnector, MeteredConnectorLayer};
pub use destination::Destination;
pub use error::CallError;
pub use in_flight::{InFlight, InFlightFuture, InFlightLayer};
pub use slots::{Limits, Slot, Slots, SlotsSnapshot, Waiting};
