//! gRPC: a tonic server behind the layer.

use std::time::Duration;

use gym_telemetry_conventions::RequestPhase::ResponseStarted;
use gym_telemetry_tower::RouteTemplates;
use tonic::{
    Code,
    transport::{Channel, Server, server::TcpIncoming},
};
use tonic_health::{
    pb::{HealthCheckRequest, health_client::HealthClient},
    server::HealthReporter,
};

use crate::support::Observed;

/// tonic's health service behind the layer, and a client of it.
async fn start() -> (Observed, HealthReporter, HealthClient<Channel>) {
    let observed = Observed::new();
    let (reporter, service) = tonic_health::server::health_reporter();
    let routes = RouteTemplates::new(["/grpc.health.v1.Health/Check", "/grpc.health.v1.Health/Watch"]).unwrap();
    let incoming = TcpIncoming::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = incoming.local_addr().unwrap();
    let server = Server::builder().layer(observed.layer().routes(routes)).add_service(service);
    tokio::spawn(server.serve_with_incoming(incoming));
    let channel = Channel::from_shared(format!("http://{address}")).unwrap().connect_timeout(Duration::from_secs(30));
    (observed, reporter, HealthClient::new(channel.connect().await.unwrap()))
}

fn of(service: &str) -> HealthCheckRequest {
    HealthCheckRequest { service: service.to_owned() }
}

#[tokio::test]
async fn answers_with_trailers_and_answers_that_are_nothing_but_trailers_are_finished() {
    let (observed, _reporter, mut client) = start().await;
    client.check(of("")).await.unwrap();
    assert_eq!(client.check(of("nobody")).await.unwrap_err().code(), Code::NotFound);
    let seen = observed.settled(2).await;
    // A gRPC error is no HTTP error.
    assert_eq!((seen.responses[&200], seen.cancelled), (2, vec![]));
}

#[tokio::test]
async fn r02_a_stream_that_the_client_drops_is_cancelled_on_its_route() {
    let (observed, _reporter, mut client) = start().await;
    let mut watch = client.watch(of("")).await.unwrap().into_inner();
    watch.message().await.unwrap().unwrap();
    assert_eq!(observed.seen().in_flight, 1);
    drop(watch);
    let seen = observed.settled(1).await;
    assert_eq!((seen.responses[&200], seen.cancelled_in(ResponseStarted)), (1, 1));
    assert_eq!(seen.cancelled[0].route, "/grpc.health.v1.Health/Watch");
}

#[tokio::test]
async fn a_stream_that_the_server_ends_is_finished() {
    let (observed, mut reporter, mut client) = start().await;
    reporter.set_service_status("a", tonic_health::ServingStatus::Serving).await;
    let mut watch = client.watch(of("a")).await.unwrap().into_inner();
    watch.message().await.unwrap().unwrap();
    reporter.clear_service_status("a").await;
    while let Ok(Some(_)) = watch.message().await {}
    assert_eq!(observed.settled(1).await.cancelled, []);
}
