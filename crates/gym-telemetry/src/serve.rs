use std::{
    error::Error as StdError,
    fmt,
    future::{IntoFuture, pending},
    io,
    pin::Pin,
    time::Duration,
};

use gym_telemetry_conventions::EventLoop;
use gym_telemetry_core::StartupTimeline;
use http::{Request, Response};
use http_body::Body;
use hyper::body::Incoming;
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::{conn::auto, graceful::GracefulShutdown},
    service::TowerToHyperService,
};
use tokio::net::{TcpListener, TcpStream};
use tower_service::Service;

use crate::Telemetry;

/// How long accepting rests after an error that more connections would only repeat, such as too many open files.
const REST: Duration = Duration::from_millis(100);

type Signal = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A server that is about to run; made by [`Telemetry::serve`], run by `.await`.
#[must_use = "a server runs when it is awaited"]
pub struct Serve<S> {
    telemetry: Telemetry,
    listener: TcpListener,
    service: S,
    startup: Option<StartupTimeline>,
    ready: Option<Box<dyn FnOnce() + Send>>,
    stop: Signal,
}

impl Telemetry {
    /// Serves HTTP/1.1 and HTTP/2 with everything switched on: the lag of the runtime, the process's own numbers, the
    /// start-up if it is given.
    ///
    /// Requests are counted by the [`RequestMetricsLayer`](crate::tower::RequestMetricsLayer) around the service. Its
    /// body goes out as it is, which saves the allocation that `axum::serve` asks for.
    ///
    /// # Example
    ///
    /// ```
    /// use axum::routing::get;
    /// use gym_telemetry::{Settings, StartupTimeline, Telemetry, tower::{MeteredRouter, RequestMetricsLayer}};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let startup = StartupTimeline::begin();
    /// let telemetry = Telemetry::builder(Settings::default()).server("math", "resources_servers").start()?;
    /// let app = MeteredRouter::new().route("/health", get(async || "well"));
    /// let app = app.metered(RequestMetricsLayer::new(telemetry.request_recorder()))?;
    /// let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    ///
    /// let stop = async {}; // such as `tokio::signal::ctrl_c()`
    /// telemetry.serve(listener, app).startup(startup).graceful_shutdown(stop).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn serve<S>(&self, listener: TcpListener, service: S) -> Serve<S> {
        Serve { telemetry: self.clone(), listener, service, startup: None, ready: None, stop: Box::pin(pending()) }
    }
}

impl<S> Serve<S> {
    /// Reports this start-up when the server begins to accept.
    pub fn startup(mut self, startup: StartupTimeline) -> Self {
        self.startup = Some(startup);
        self
    }

    /// Calls this once the server accepts and its start-up is reported, such as to tell a supervisor.
    pub fn ready(mut self, tell: impl FnOnce() + Send + 'static) -> Self {
        self.ready = Some(Box::new(tell));
        self
    }

    /// Accepts no more connections once `stop` is done, and then ends when every request under way has.
    pub fn graceful_shutdown(mut self, stop: impl Future<Output = ()> + Send + 'static) -> Self {
        self.stop = Box::pin(stop);
        self
    }
}

impl<S, B> IntoFuture for Serve<S>
where
    S: Service<Request<Incoming>, Response = Response<B>> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Into<Box<dyn StdError + Send + Sync>>,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn StdError + Send + Sync>>,
{
    /// An error if the process cannot be watched.
    type Output = io::Result<()>;
    type IntoFuture = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let Self { telemetry, listener, service, startup, ready, mut stop } = self;
            telemetry.watch_runtime(EventLoop::Server.as_str())?;
            startup.and_then(|startup| telemetry.report_startup(startup));
            ready.into_iter().for_each(|tell| tell());
            let service = TowerToHyperService::new(service);
            let connections = GracefulShutdown::new();
            loop {
                let stream = tokio::select! {
                    stream = accept(&listener) => stream,
                    () = &mut stop => break,
                };
                let service = service.clone();
                let watcher = connections.watcher();
                tokio::spawn(async move {
                    let server = auto::Builder::new(TokioExecutor::new());
                    let connection = server.serve_connection_with_upgrades(TokioIo::new(stream), service);
                    // How requests ended has been counted; a connection that broke is no news.
                    if let Err(error) = watcher.watch(connection).await {
                        tracing::debug!(target: "gym_telemetry", error, "a connection ended with an error");
                    }
                });
            }
            drop(listener);
            connections.shutdown().await;
            Ok(())
        })
    }
}

/// The next connection. One that failed before it was accepted is passed over.
async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // Answers are small, and their last part is not to wait for an acknowledgement.
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(target: "gym_telemetry", %error, "a connection waits for acknowledgements");
                }
                return stream;
            }
            Err(error) => {
                tracing::warn!(target: "gym_telemetry", %error, "a connection could not be accepted");
                tokio::time::sleep(REST).await;
            }
        }
    }
}

impl<S> fmt::Debug for Serve<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { listener, startup, .. } = self;
        f.debug_struct("Serve").field("listener", listener).field("startup", startup).finish_non_exhaustive()
    }
}
