use std::{net::SocketAddr, sync::Arc};

use bytes::Bytes;
use gym_telemetry_conventions::RequestPhase::{BeforeResponseStart, ResponseStarted};
use http::{Method, Request, Response, Uri};
use http_body_util::{BodyExt as _, Full};
use hyper::{
    body::Incoming,
    client::conn::{http1, http2},
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::{net::TcpStream, task::JoinHandle};

use super::{
    server::{Gates, PART},
    truth::Truth,
};

/// Sends one request after the other over a connection of its own, and keeps account of what became of them.
pub(super) struct Client {
    number: usize,
    random: u64,
    address: SocketAddr,
    gates: Arc<Gates>,
    connection: Option<Connection>,
    truth: Truth,
}

struct Connection {
    sender: Sender,
    /// To abort it is to close the socket.
    task: JoinHandle<()>,
}

enum Sender {
    Http1(http1::SendRequest<Full<Bytes>>),
    Http2(http2::SendRequest<Full<Bytes>>),
}

impl Client {
    pub(super) fn new(number: usize, seed: u64, address: SocketAddr, gates: Arc<Gates>) -> Self {
        let random = seed.wrapping_add(number as u64);
        Self { number, random, address, gates, connection: None, truth: Truth::default() }
    }

    pub(super) async fn run(mut self, requests: u64) -> Truth {
        for _ in 0..requests {
            match self.random(100) {
                0..60 => self.item().await,
                60..70 => self.echo().await,
                70..78 => self.status().await,
                78..82 => self.head().await,
                82..86 => self.sized().await,
                86..89 => self.junk().await,
                89..92 => self.leave_before_the_head().await,
                92..95 => self.leave_midway().await,
                95..97 => self.panic().await,
                97..99 => self.break_the_body("/error-in-body").await,
                _ => self.break_the_body("/panic-in-body").await,
            }
        }
        self.truth
    }

    async fn item(&mut self) {
        let id = self.random(1_000_000).to_string();
        let body = self.whole(Method::GET, &format!("/items/{id}"), Bytes::new(), 200).await;
        assert_eq!(body, id);
        self.truth.request("/items/{id}", 0, id.len());
    }

    async fn echo(&mut self) {
        let sent = Bytes::from(vec![b'e'; self.random(100_000) as usize]);
        let body = self.whole(Method::POST, "/echo", sent.clone(), 200).await;
        assert_eq!(body, sent);
        self.truth.request("/echo", sent.len(), sent.len());
    }

    async fn status(&mut self) {
        let status = [201, 204, 304, 404, 418, 500, 503][self.random(7) as usize];
        self.whole(Method::GET, &format!("/status/{status}"), Bytes::new(), status).await;
        self.truth.request("/status/{status}", 0, 0);
    }

    async fn head(&mut self) {
        self.whole(Method::HEAD, "/sized", Bytes::new(), 200).await;
        self.truth.request("/sized", 0, 0);
    }

    async fn sized(&mut self) {
        let response = self.head_of(Method::GET, "/sized", Bytes::new(), 200).await;
        let mut body = response.into_body();
        let mut read = 0;
        while read < PART.len() {
            read += body.frame().await.unwrap().unwrap().into_data().unwrap().len();
        }
        // Over HTTP/2 the server asks for an end that does not come. All has been said, and leaving cuts nothing short.
        drop(body);
        self.truth.request("/sized", 0, PART.len());
    }

    async fn junk(&mut self) {
        let path = format!("/.junk/{:x}", self.random(u64::MAX));
        self.whole(Method::GET, &path, Bytes::new(), 404).await;
        self.truth.request("<unmatched>", 0, 0);
    }

    async fn leave_before_the_head(&mut self) {
        let path = format!("/hold/{}", self.number);
        let request = request(Method::GET, &path, Bytes::new());
        let (gates, number) = (Arc::clone(&self.gates), self.number);
        let connection = self.connection().await;
        tokio::select! {
            _ = connection.sender.send(request) => panic!("{path} answered"),
            () = gates.entered(number) => {}
        }
        self.leave();
        self.truth.request("/hold/{client}", 0, 0);
        self.truth.cancel("/hold/{client}", BeforeResponseStart.as_str());
    }

    async fn leave_midway(&mut self) {
        let response = self.head_of(Method::GET, "/stream", Bytes::new(), 200).await;
        let mut body = response.into_body();
        body.frame().await.unwrap().unwrap();
        drop(body);
        self.leave();
        self.truth.request("/stream", 0, PART.len());
        self.truth.cancel("/stream", ResponseStarted.as_str());
    }

    async fn panic(&mut self) {
        let request = request(Method::GET, "/panic", Bytes::new());
        self.connection().await.sender.send(request).await.unwrap_err();
        self.leave();
        self.truth.request("/panic", 0, 0);
        self.truth.unhandled += 1;
    }

    async fn break_the_body(&mut self, route: &'static str) {
        let request = request(Method::GET, route, Bytes::new());
        // The end of the connection, or of the stream, may overtake the head.
        if let Ok(response) = self.connection().await.sender.send(request).await {
            response.into_body().collect().await.unwrap_err();
        }
        self.leave();
        self.truth.request(route, 0, PART.len());
        self.truth.respond(200);
        self.truth.body_failed += 1;
    }

    /// Sends a request and reads the whole answer.
    async fn whole(&mut self, method: Method, path: &str, body: Bytes, status: u16) -> Bytes {
        self.head_of(method, path, body, status).await.into_body().collect().await.unwrap().to_bytes()
    }

    /// Sends a request and reads the head of the answer.
    async fn head_of(&mut self, method: Method, path: &str, body: Bytes, status: u16) -> Response<Incoming> {
        let response = self.connection().await.sender.send(request(method, path, body)).await.unwrap();
        assert_eq!(response.status(), status, "{path}");
        self.truth.respond(status);
        response
    }

    /// Over HTTP/1.1, to leave is to close the connection; over HTTP/2, to drop the stream was enough.
    fn leave(&mut self) {
        if let Some(Connection { sender: Sender::Http1(_), task }) = &self.connection {
            task.abort();
            self.connection = None;
        }
    }

    async fn connection(&mut self) -> &mut Connection {
        if self.connection.is_none() {
            self.connection = Some(self.connect().await);
        }
        let connection = self.connection.as_mut().unwrap();
        connection.sender.ready().await;
        connection
    }

    async fn connect(&mut self) -> Connection {
        let stream = TcpStream::connect(self.address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        // Some close in order, most with a reset. A reset leaves no port behind that has to wait.
        if self.random(8) > 0 {
            stream.set_zero_linger().unwrap();
        }
        let io = TokioIo::new(stream);
        if self.number.is_multiple_of(2) {
            let (sender, connection) = http1::handshake(io).await.unwrap();
            Connection { sender: Sender::Http1(sender), task: tokio::spawn(async { drop(connection.await) }) }
        } else {
            let (sender, connection) = http2::handshake(TokioExecutor::new(), io).await.unwrap();
            Connection { sender: Sender::Http2(sender), task: tokio::spawn(async { drop(connection.await) }) }
        }
    }

    /// A number below another: splitmix64.
    fn random(&mut self, below: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % below
    }
}

impl Sender {
    async fn ready(&mut self) {
        match self {
            Self::Http1(sender) => sender.ready().await.unwrap(),
            Self::Http2(sender) => sender.ready().await.unwrap(),
        }
    }

    async fn send(&mut self, request: Request<Full<Bytes>>) -> hyper::Result<Response<Incoming>> {
        match self {
            Self::Http1(sender) => sender.send_request(request).await,
            Self::Http2(sender) => sender.send_request(request).await,
        }
    }
}

fn request(method: Method, path: &str, body: Bytes) -> Request<Full<Bytes>> {
    let uri: Uri = format!("http://test{path}").parse().unwrap();
    Request::builder().method(method).uri(uri).header(http::header::HOST, "test").body(Full::new(body)).unwrap()
}
