//! Calls by the HTTP semantic conventions.

use gym_telemetry_core::HttpClientMetrics;
use gym_telemetry_hyper::{Limits, PooledClient};

use crate::support::{Accounts, Client, Server, get, poll_once, text, within};

#[tokio::test]
async fn each_call_is_one_sample_from_its_first_poll_to_the_end_of_its_response() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let http = HttpClientMetrics::new(&accounts.meter());
    let builder = || PooledClient::builder(accounts.pool()).limits(Limits::new().total(1)).http_conventions(&http);
    let client: Client = builder().destination("policy_model").build_http();
    let port = server.address().port().to_string();
    let count =
        |more: &[(&str, &str)]| accounts.http_calls("GET", "127.0.0.1", &[&[("server.port", &*port)], more].concat());
    let response = [("http.response.status_code", "200"), ("network.protocol.version", "1.1")];

    let unread = client.request(get(server.url("/stream"))).await.unwrap();
    let mut waiting = client.request(get(server.url("/")));
    assert!(poll_once(&mut waiting).await.is_pending());
    assert_eq!((count(&response), count(&[("error.type", "cancelled")])), (0, 0));
    drop(waiting);
    server.release(1);
    text(Ok(unread)).await;
    assert_eq!((count(&response), count(&[("error.type", "cancelled")])), (1, 1));
    within(client.request(get(server.url("/lost")))).await.unwrap_err();
    assert_eq!(count(&[("error.type", "send")]), 1);

    let anywhere: Client = builder().build_http();
    text(anywhere.request(get(server.url("/"))).await).await;
    for method in ["FOO1", "FOO2"] {
        let mut odd = get(server.url("/"));
        *odd.method_mut() = method.parse().unwrap();
        text(anywhere.request(odd).await).await;
    }
    let external = |method| accounts.http_calls(method, "external", &response);
    assert_eq!((external("GET"), external("_OTHER"), count(&response)), (1, 2, 1));
}

#[tokio::test]
async fn a_body_that_breaks_is_an_error_after_its_head() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let http = HttpClientMetrics::new(&accounts.meter());
    let client: Client = PooledClient::builder(accounts.pool()).http_conventions(&http).build_http();
    let broken = client.request(get(server.url("/broken"))).await.unwrap();
    http_body_util::BodyExt::collect(broken.into_body()).await.unwrap_err();
    let attributes =
        [("http.response.status_code", "200"), ("network.protocol.version", "1.1"), ("error.type", "body")];
    assert_eq!((accounts.http_calls("GET", "external", &attributes), client.snapshot().held), (1, 0));
}
