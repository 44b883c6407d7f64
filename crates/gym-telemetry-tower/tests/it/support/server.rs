use std::{convert::Infallible, net::SocketAddr};

use axum::body::Body;
use futures_util::future::Either;
use http::{Request, Response};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::{conn::auto, graceful::GracefulShutdown},
    service::TowerToHyperService,
};
use tokio::{net::TcpListener, sync::oneshot, task::JoinHandle};
use tower::{Service, ServiceExt as _, make::Shared, util::BoxCloneSyncService};

type App = BoxCloneSyncService<Request<Body>, Response<Body>, Infallible>;

/// Which server runs a service.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// `axum::serve`.
    Axum,
    /// hyper-util's server for HTTP/1.1 and HTTP/2.
    Hyper,
}

impl Kind {
    pub(crate) const BOTH: [Self; 2] = [Self::Axum, Self::Hyper];
}

/// A server on a free port. It runs until it is told to shut down, or the test is over.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Server {
    pub(crate) async fn start<S, B>(kind: Kind, service: S) -> Self
    where
        S: Service<Request<Body>, Response = Response<B>, Error = Infallible> + Clone + Send + Sync + 'static,
        S::Future: Send,
        B: http_body::Body<Data = bytes::Bytes> + Send + 'static,
        B::Error: Into<axum::BoxError>,
    {
        let app = BoxCloneSyncService::new(service.map_response(|response| response.map(Body::new)));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(async move {
            match kind {
                Kind::Axum => {
                    let stopped = async move { drop(stopped.await) };
                    axum::serve(listener, Shared::new(app)).with_graceful_shutdown(stopped).await.unwrap();
                }
                Kind::Hyper => hyper(listener, app, stopped).await,
            }
        });
        Self { address, stop, task }
    }

    /// Shuts down gracefully: no new requests, and an end when those under way have ended.
    pub(crate) fn shut_down(self) -> JoinHandle<()> {
        self.stop.send(()).unwrap();
        self.task
    }
}

async fn hyper(listener: TcpListener, app: App, mut stopped: oneshot::Receiver<()>) {
    let connections = GracefulShutdown::new();
    let service =
        TowerToHyperService::new(app.map_request(|request: Request<hyper::body::Incoming>| request.map(Body::new)));
    loop {
        let accept = std::pin::pin!(listener.accept());
        let stream = match futures_util::future::select(accept, &mut stopped).await {
            Either::Left((accepted, _)) => accepted.unwrap().0,
            Either::Right(_) => break,
        };
        let builder = auto::Builder::new(TokioExecutor::new());
        let connection = builder.serve_connection_with_upgrades(TokioIo::new(stream), service.clone()).into_owned();
        tokio::spawn(connections.watch(connection));
    }
    connections.shutdown().await;
}
