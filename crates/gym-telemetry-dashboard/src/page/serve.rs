use std::{future::IntoFuture as _, net::SocketAddr, time::Duration};

use tokio::{net::TcpListener, sync::watch, task::JoinHandle, time::timeout};

use super::{Settings, Source, StartError, http};

/// How long a shutdown waits for what is being sent.
const GRACE: Duration = Duration::from_secs(2);

/// A page that is served until it is shut down or dropped.
///
/// It runs on the Tokio runtime that it is started on, which needs its timers and its I/O enabled. What takes longer
/// runs on that runtime's threads for blocking work.
#[derive(Debug)]
#[must_use = "a page that is dropped is no longer served"]
pub struct Page {
    address: SocketAddr,
    server: JoinHandle<()>,
    stop: watch::Sender<()>,
}

impl Page {
    /// Starts to serve.
    ///
    /// # Errors
    ///
    /// When the address cannot be listened on, or must not be.
    pub async fn start(settings: Settings, source: Source) -> Result<Self, StartError> {
        let Settings { address, token } = settings;
        match &token {
            Some(token) if token.is_empty() => return Err(StartError::EmptyToken),
            None if !address.ip().to_canonical().is_loopback() => return Err(StartError::NotLoopback { address }),
            _ => {}
        }
        let failed = |source| StartError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let (stop, stopped) = watch::channel(());
        let router = http::router(source, token, stopped.clone());
        let server = axum::serve(listener, router).with_graceful_shutdown(is_over(stopped)).into_future();
        let server = tokio::spawn(async {
            let _ = server.await;
        });
        Ok(Self { address, server, stop })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address for a browser.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Stops to serve, and ends what is under way.
    pub async fn shutdown(mut self) {
        drop(self.stop);
        if timeout(GRACE, &mut self.server).await.is_err() {
            self.server.abort();
        }
    }
}

/// Ends when the sender is gone.
async fn is_over(mut stopped: watch::Receiver<()>) {
    while stopped.changed().await.is_ok() {}
}
