//! The parts for those who keep their client.

use gym_telemetry_hyper::{InFlight, MeteredConnector};
use http_body_util::BodyExt as _;
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use tower_service::Service as _;

use crate::support::{Accounts, Server, get, until, within};

#[tokio::test]
async fn the_legacy_client_with_a_metered_connector_times_new_connections_alone() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let recorder = accounts.pool().recorder();
    let connector = MeteredConnector::new(HttpConnector::new(), recorder.destination("policy_model"));
    let client = Client::builder(TokioExecutor::new()).build(connector);
    for _ in 0..3 {
        let answer = client.request(get(server.url("/"))).await.unwrap();
        answer.into_body().collect().await.unwrap();
    }
    assert_eq!((accounts.connects().1, accounts.attempts()), (0, 0));
    assert_eq!(accounts.connects().0, server.accepted() as u64);
    let elsewhere = format!("http://127.0.0.2:{}/", server.address().port());
    client.request(get(elsewhere)).await.unwrap_err();
    assert_eq!(accounts.connects().1, 1);
}

#[tokio::test]
async fn a_client_in_the_layer_is_in_flight_until_the_head_or_the_end() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let client = Client::builder(TokioExecutor::new()).build_http();
    let mut client = InFlight::new(client, accounts.pool());
    let held = client.call(get(server.url("/held")));
    let dropped = client.call(get(server.url("/held")));
    assert_eq!(accounts.in_flight(), 2.0);
    drop(dropped);
    assert_eq!(accounts.in_flight(), 1.0);
    let held = tokio::spawn(held);
    until(|| server.requests().len() == 1).await;
    server.release(1);
    let answer = within(held).await.unwrap().unwrap();
    assert_eq!(accounts.in_flight(), 0.0, "the head has come");
    drop(answer);
    client.call(get("http://127.0.0.1:0/".to_owned())).await.unwrap_err();
    assert_eq!(accounts.in_flight(), 0.0);
}
