//! Servers that do as they are told, accounts that can be read, and clients between them.

mod accounts;
mod counting;
mod frames;
mod memory;
mod server;
#[path = "../../../../gym-telemetry-core/src/testing.rs"]
#[expect(dead_code, reason = "shared with crates that use other parts of it")]
mod testing;

use std::{future::Future, pin::Pin, task::Poll, time::Duration};

use bytes::Bytes;
use gym_telemetry_hyper::{CallError, Limits, PooledBody, PooledClient, ResponseFuture};
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper_util::client::legacy::connect::HttpConnector;

pub(crate) use accounts::Accounts;
pub(crate) use counting::{Counted, Counting};
pub(crate) use frames::{Frames, Sent};
pub(crate) use memory::InMemory;
pub(crate) use server::Server;

pub(crate) type Body = Full<Bytes>;
pub(crate) type Client = PooledClient<HttpConnector, Body>;
pub(crate) type Answer = Result<Response<PooledBody<Body>>, CallError>;

/// A client with these limits, whose calls count for `policy_model`.
pub(crate) fn client(accounts: &Accounts, limits: Limits) -> Client {
    PooledClient::builder(accounts.pool()).limits(limits).destination("policy_model").build_http()
}

pub(crate) fn get(url: String) -> Request<Body> {
    Request::get(url).body(Body::default()).expect("a request")
}

/// The whole body of an answer.
pub(crate) async fn text(answer: Answer) -> String {
    let body = answer.expect("an answer").into_body().collect().await.expect("a whole body");
    String::from_utf8(body.to_bytes().into()).expect("text")
}

/// Polls once.
pub(crate) async fn poll_once(call: &mut ResponseFuture<Body>) -> Poll<Answer> {
    std::future::poll_fn(|cx| Poll::Ready(Pin::new(&mut *call).poll(cx))).await
}

/// Waits until something is so. It takes as long as the machine needs, and fails only if it never comes.
pub(crate) async fn until(what: impl Fn() -> bool) {
    let wait = async {
        while !what() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    within(wait).await;
}

/// The outcome of something that should not hang.
pub(crate) async fn within<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), what).await.expect("it hangs")
}
