//! A running collector.

use std::future::IntoFuture;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::error::StartError;
use crate::server::{self, Counts, Intake};
use crate::settings::Settings;
use crate::snapshot::Snapshot;
use crate::store::{Observer, Store};

/// A running collector: it listens on two ports until it is shut down or dropped.
///
/// It runs on the Tokio runtime that it is started on, which needs its timers and its I/O enabled.
///
/// Reading it takes a lock for as long as it takes to count the processes; requests are decoded outside of the lock and
/// taken in under it.
#[derive(Debug)]
#[must_use = "a collector that is dropped stops listening"]
pub struct Collector {
    grpc_address: SocketAddr,
    http_address: SocketAddr,
    intake: Arc<Intake>,
    servers: [JoinHandle<()>; 2],
    stop: watch::Sender<()>,
    grace: Duration,
}

/// Reads a collector from elsewhere. Clones read the same one.
#[derive(Debug, Clone)]
pub struct Reader {
    intake: Arc<Intake>,
}

impl Collector {
    /// Starts to listen.
    ///
    /// # Errors
    ///
    /// When an address cannot be listened on, or must not be.
    pub async fn start(settings: Settings) -> Result<Self, StartError> {
        Self::start_observed(settings, ()).await
    }

    /// Starts to listen, and shows each point that is taken in to `observer`.
    ///
    /// # Errors
    ///
    /// When an address cannot be listened on, or must not be.
    pub async fn start_observed(settings: Settings, observer: impl Observer) -> Result<Self, StartError> {
        let allow_remote = settings.token.is_some();
        let (grpc, grpc_address) = listen(settings.grpc_address, allow_remote).await?;
        let (http, http_address) = listen(settings.http_address, allow_remote).await?;
        let store = Store::observed(settings.limits, observer);
        let intake = Arc::new(Intake::new(&settings, store));
        let (stop, stopped) = watch::channel(());
        let servers = [
            serve(grpc, server::grpc(Arc::clone(&intake)), stopped.clone()),
            serve(http, server::http(Arc::clone(&intake)), stopped),
        ];
        Ok(Self { grpc_address, http_address, intake, servers, stop, grace: settings.request_timeout })
    }

    /// Where it listens for OTLP over gRPC.
    pub fn grpc_address(&self) -> SocketAddr {
        self.grpc_address
    }

    /// Where it listens for OTLP over HTTP.
    pub fn http_address(&self) -> SocketAddr {
        self.http_address
    }

    /// The address as a gRPC exporter takes it.
    pub fn grpc_endpoint(&self) -> String {
        format!("http://{}", self.grpc_address)
    }

    /// The address as an HTTP exporter takes it; the path of the signal, as `/v1/metrics`, comes behind it.
    pub fn http_endpoint(&self) -> String {
        format!("http://{}", self.http_address)
    }

    /// What is held now. It costs a pointer a process, and stays as it is.
    pub fn state(&self) -> Snapshot {
        self.intake.store().snapshot()
    }

    /// What it has been sent so far.
    pub fn counts(&self) -> Counts {
        self.intake.counts()
    }

    /// What reads it from elsewhere, also once it has been shut down.
    #[must_use = "the reader is returned"]
    pub fn reader(&self) -> Reader {
        Reader { intake: Arc::clone(&self.intake) }
    }

    /// Stops to listen, finishes what is under way, and returns what is held then.
    ///
    /// Connections that are still busy after the request timeout are no longer waited for.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves the collector to end by itself, as dropping the collector does.
    pub async fn shutdown(self) -> Snapshot {
        drop(self.stop);
        let [grpc, http] = self.servers;
        let aborts = [grpc.abort_handle(), http.abort_handle()];
        let finished = async {
            let _ = grpc.await;
            let _ = http.await;
        };
        if timeout(self.grace, finished).await.is_err() {
            aborts.iter().for_each(tokio::task::AbortHandle::abort);
        }
        self.intake.store().snapshot()
    }
}

impl Reader {
    /// As [`Collector::state`].
    pub fn state(&self) -> Snapshot {
        self.intake.store().snapshot()
    }

    /// As [`Collector::counts`].
    pub fn counts(&self) -> Counts {
        self.intake.counts()
    }
}

async fn listen(address: SocketAddr, allow_remote: bool) -> Result<(TcpListener, SocketAddr), StartError> {
    if !allow_remote && !address.ip().to_canonical().is_loopback() {
        return Err(StartError::NotLoopback { address });
    }
    let bound = TcpListener::bind(address).await.and_then(|listener| {
        let address = listener.local_addr()?;
        Ok((listener, address))
    });
    bound.map_err(|source| StartError::Listen { address, source })
}

/// Serves until `stopped` hears from its sender, or that it is gone.
fn serve(listener: TcpListener, router: Router, mut stopped: watch::Receiver<()>) -> JoinHandle<()> {
    let stopped = async move {
        let _ = stopped.changed().await;
    };
    let server = axum::serve(listener, router).with_graceful_shutdown(stopped).into_future();
    tokio::spawn(async {
        let _ = server.await;
    })
}
