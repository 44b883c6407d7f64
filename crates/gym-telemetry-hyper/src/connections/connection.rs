use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use http::{Request, Response};
use hyper::{
    body::Incoming,
    client::conn::{http1, http2},
};
use hyper_util::{client::legacy::connect::Connected, rt::TokioExecutor};
use tokio::{
    runtime::Handle,
    task::{AbortHandle, spawn},
};

use super::{
    Keeper, Socket,
    state::Reusable,
    streams::{self, Refusal, Streams},
};
use crate::{
    client::{Io, RequestBody},
    host::HostKey,
};

/// A connection that carries requests, one at a time or many.
///
/// When its last handle is dropped its socket is closed at once, whatever still lies in it.
#[derive(Debug)]
pub(crate) struct Connection<B> {
    sender: Sender<B>,
    shared: Arc<Shared>,
}

/// A request that brought no response.
#[derive(Debug)]
pub(crate) struct Unanswered<B> {
    pub(crate) error: hyper::Error,
    /// The request, if nothing of it went out or the server has not looked at it.
    pub(crate) request: Option<Box<Request<B>>>,
    /// How the server says the latter.
    pub(crate) refusal: Option<Refusal>,
}

#[derive(Debug)]
enum Sender<B> {
    Http1(http1::SendRequest<B>),
    Http2(Streams<B>),
}

/// What all handles of a connection have in common.
#[derive(Debug)]
struct Shared {
    connected: Connected,
    keeper: Keeper,
    runtime: Handle,
    /// The server takes no more requests, which hyper may not have noticed yet.
    is_given_up: AtomicBool,
    _driver: Driver,
}

/// The task that moves the bytes of a connection. It ends with this.
#[derive(Debug)]
struct Driver(AbortHandle);

impl<B: RequestBody> Connection<B> {
    /// Speaks HTTP/1.1 on an open socket.
    pub(crate) async fn http1<T: Io>(io: T, socket: Socket<Self>) -> Result<Self, hyper::Error> {
        let (connected, keeper) = (io.connected(), socket.keeper());
        let (mut sender, connection) = http1::handshake(socket.bind(io)).await?;
        let driver = Driver(spawn(connection.with_upgrades()).abort_handle());
        let shared = Shared::new(connected, keeper, driver);
        sender.ready().await?;
        Ok(Self { sender: Sender::Http1(sender), shared })
    }

    /// Speaks HTTP/2 on an open socket.
    pub(crate) async fn http2<T: Io>(io: T, socket: Socket<Self>) -> Result<Self, hyper::Error> {
        let (connected, keeper) = (io.connected(), socket.keeper());
        let mut builder = http2::Builder::new(TokioExecutor::new());
        // What goes out before the server has said how many streams it allows, it may refuse.
        builder.initial_max_send_streams(1);
        let (mut sender, connection) = builder.handshake(socket.bind(io)).await?;
        let driver = Driver(spawn(connection).abort_handle());
        let shared = Shared::new(connected, keeper, driver);
        sender.ready().await?;
        Ok(Self { sender: Sender::Http2(sender), shared })
    }

    /// Sends a request with an absolute URI, and waits for the head of the response.
    pub(crate) async fn send(
        &mut self,
        mut request: Box<Request<B>>,
        host: &HostKey,
    ) -> Result<Response<Incoming>, Unanswered<B>> {
        let mut response = match &mut self.sender {
            Sender::Http1(sender) => {
                let target = request.uri().clone();
                host.prepare_http1(&mut request, self.shared.connected.is_proxied());
                sender.try_send_request(*request).await.map_err(|mut error| {
                    let restore = |mut request: Request<B>| {
                        *request.uri_mut() = target;
                        Box::new(request)
                    };
                    let request = error.take_message().map(restore);
                    Unanswered { request, refusal: None, error: error.into_error() }
                })
            }
            Sender::Http2(streams) => streams::send(streams, request).await.inspect_err(|unanswered| {
                if unanswered.refusal == Some(Refusal::Connection) {
                    self.shared.is_given_up.store(true, Ordering::Relaxed);
                }
            }),
        }?;
        self.shared.connected.get_extras(response.extensions_mut());
        Ok(response)
    }

    /// Waits until another request can be sent, which may be never.
    pub(crate) async fn ready(&mut self) -> Result<(), hyper::Error> {
        match &mut self.sender {
            Sender::Http1(sender) => sender.ready().await,
            Sender::Http2(sender) => sender.ready().await,
        }
    }
}

impl<B> Connection<B> {
    /// Whether another request could be sent now.
    pub(crate) fn is_ready(&self) -> bool {
        match &self.sender {
            Sender::Http1(sender) => sender.is_ready(),
            Sender::Http2(sender) => sender.is_ready() && !self.shared.is_given_up(),
        }
    }

    /// Whether it will never carry another request.
    pub(crate) fn is_closed(&self) -> bool {
        match &self.sender {
            Sender::Http1(sender) => sender.is_closed(),
            Sender::Http2(sender) => sender.is_closed() || self.shared.is_given_up(),
        }
    }

    /// Where a slot can be left for as long as the socket is open.
    pub(crate) fn keeper(&self) -> &Keeper {
        &self.shared.keeper
    }

    /// The runtime that drives it.
    pub(crate) fn runtime(&self) -> &Handle {
        &self.shared.runtime
    }
}

impl<B: Send + 'static> Reusable for Connection<B> {
    fn is_open(&self) -> bool {
        self.is_ready()
    }

    fn share(&self) -> Option<Self> {
        match &self.sender {
            Sender::Http1(_) => None,
            Sender::Http2(sender) => {
                Some(Self { sender: Sender::Http2(sender.clone()), shared: Arc::clone(&self.shared) })
            }
        }
    }

    fn is_shared(&self) -> bool {
        Arc::strong_count(&self.shared) > 1
    }
}

impl Shared {
    fn new(connected: Connected, keeper: Keeper, driver: Driver) -> Arc<Self> {
        let is_given_up = AtomicBool::new(false);
        Arc::new(Self { connected, keeper, runtime: Handle::current(), is_given_up, _driver: driver })
    }

    fn is_given_up(&self) -> bool {
        self.is_given_up.load(Ordering::Relaxed)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.0.abort();
    }
}
