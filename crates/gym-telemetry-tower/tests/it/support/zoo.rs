use std::{convert::Infallible, io, sync::Arc, time::Duration};

use axum::{
    Router,
    body::Body,
    extract::{Path, Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _, stream};
use http_body::Frame;
use http_body_util::{BodyExt as _, StreamBody};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    sync::Semaphore,
};

/// Handlers of every kind, that wait for the test where time would matter.
#[derive(Clone)]
pub(crate) struct Zoo {
    entered: Arc<Semaphore>,
    left: Arc<Semaphore>,
    go_on: Arc<Semaphore>,
}

/// Tells when it is dropped.
struct OnDrop(Arc<Semaphore>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.add_permits(1);
    }
}

impl Zoo {
    pub(crate) fn new() -> Self {
        let none = || Arc::new(Semaphore::new(0));
        Self { entered: none(), left: none(), go_on: none() }
    }

    pub(crate) fn router(&self) -> Router {
        Router::new()
            .route("/items/{id}", get(async || "an item"))
            .route("/wait", get(Self::wait))
            .route("/stream", get(Self::stream))
            .route("/flood", get(async || Body::from_stream(stream::repeat(Ok::<_, Infallible>(vec![b'.'; 16 << 10])))))
            .route("/sized", get(Self::sized))
            .route("/short", get(Self::short))
            .route("/steps", get(Self::steps))
            .route("/trailers", get(Self::trailers))
            .route("/panic", get(Self::panic))
            .route("/error-in-body", get(async || Body::from_stream(stream::iter([Ok(Bytes::from("part")), broken()]))))
            .route("/panic-in-body", get(Self::panic_in_body))
            .route("/status/{status}", get(Self::status))
            .route("/upgrade", get(Self::upgrade))
            .route("/echo", post(async |body: Bytes| body))
            .route("/ignore", post(async || "ignored"))
            .with_state(self.clone())
    }

    /// Waits until a handler has begun to wait.
    pub(crate) async fn entered(&self) {
        self.entered.acquire().await.unwrap().forget();
    }

    /// Waits until a handler that waited was dropped or is done.
    pub(crate) async fn left(&self) {
        self.left.acquire().await.unwrap().forget();
    }

    /// Lets one handler, or one step of a body, go on.
    pub(crate) fn go_on(&self) {
        self.go_on.add_permits(1);
    }

    async fn enter(&self) -> impl Drop + use<> {
        let guard = OnDrop(Arc::clone(&self.left));
        self.entered.add_permits(1);
        self.go_on.acquire().await.unwrap().forget();
        guard
    }

    async fn wait(State(zoo): State<Self>) -> &'static str {
        let _guard = zoo.enter().await;
        "waited"
    }

    /// 64 bytes, and then nothing for ever.
    async fn stream() -> Body {
        frames(stream::iter([Frame::data(Bytes::from(vec![b'.'; 64]))]).chain(stream::pending()))
    }

    /// As many bytes as it declares, after which nobody may ask for its end: it would never come.
    async fn sized() -> Response {
        let parts = stream::iter(["12345", "67890"].map(|part| Frame::data(Bytes::from(part))));
        ([(header::CONTENT_LENGTH, "10")], frames(parts.chain(stream::pending()))).into_response()
    }

    /// Fewer bytes than it declares, and then nothing for ever.
    async fn short() -> Response {
        let parts = stream::iter([Frame::data(Bytes::from("12345"))]);
        ([(header::CONTENT_LENGTH, "10")], frames(parts.chain(stream::pending()))).into_response()
    }

    /// Three parts, each when the test lets it.
    async fn steps(State(zoo): State<Self>) -> Body {
        let step = move |number| {
            let zoo = zoo.clone();
            async move {
                zoo.go_on.acquire().await.unwrap().forget();
                Frame::data(Bytes::from(format!("step {number};")))
            }
        };
        frames(stream::iter(1..=3).then(step))
    }

    async fn trailers() -> Body {
        let trailers = HeaderMap::from_iter([(header::ETAG, HeaderValue::from_static("a"))]);
        frames(stream::iter([Frame::data(Bytes::from("data")), Frame::trailers(trailers)]))
    }

    async fn panic() -> Response {
        tokio::time::sleep(Duration::ZERO).await;
        panic!("a handler that panics")
    }

    async fn panic_in_body() -> Body {
        let panics = stream::once(async { panic!("a body that panics") });
        frames(stream::iter([Frame::data(Bytes::from("part"))]).chain(panics))
    }

    /// Switches to a protocol that says everything twice.
    async fn upgrade(mut request: Request) -> Response {
        let upgrade = hyper::upgrade::on(&mut request);
        tokio::spawn(async move {
            let mut upgraded = TokioIo::new(upgrade.await.unwrap());
            let mut buffer = [0; 64];
            while let Ok(read @ 1..) = upgraded.read(&mut buffer).await {
                upgraded.write_all(&buffer[..read].repeat(2)).await.unwrap();
            }
        });
        let headers = [(header::CONNECTION, "upgrade"), (header::UPGRADE, "twice")];
        (StatusCode::SWITCHING_PROTOCOLS, headers).into_response()
    }

    /// Any status, with a body that must not go out where the status rules it out.
    async fn status(Path(status): Path<u16>) -> Response {
        (StatusCode::from_u16(status).unwrap(), Body::from_stream(stream::pending::<io::Result<Bytes>>()))
            .into_response()
    }
}

/// A body of these frames, of a length that nobody knows.
pub(crate) fn frames(frames: impl Stream<Item = Frame<Bytes>> + Send + 'static) -> Body {
    Body::new(StreamBody::new(frames.map(Ok::<_, Infallible>)).boxed_unsync())
}

fn broken() -> io::Result<Bytes> {
    Err(io::Error::other("broken"))
}
