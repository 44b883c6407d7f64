use anyhow::{Result, bail};
use axum::{Router, body::Body, response::Response, routing::get, serve::ListenerExt as _};
use gym_telemetry::{Settings, Telemetry, tower::RequestMetricsLayer};
use http::Request;
use opentelemetry_sdk::metrics::{ManualReader, SdkMeterProvider};
use tokio::{net::TcpListener, runtime::Builder};
use tower::{ServiceExt, make::Shared};
use tower_layer::Layer as _;

use crate::child;

const BARE: &str = "axum::serve";
const LAYER: &str = "axum::serve, the layer around";
const FACADE: &str = "the facade's serve";

/// Every server; the others are compared with the first.
pub(super) const ALL: [&str; 3] = [BARE, LAYER, FACADE];

/// What is asked for.
pub(super) const PATH: &str = "/items/42";

/// Is one of the servers, on one thread beside the one that accepts.
pub(crate) fn serve(name: &str) -> Result<()> {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    runtime.block_on(async {
        let router = Router::new().route("/items/{id}", get(async || "ok"));
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        child::announce(listener.local_addr()?);
        if name == FACADE {
            let telemetry = telemetry()?;
            let service = RequestMetricsLayer::new(telemetry.request_recorder()).layer(router);
            return Ok(telemetry.serve(listener, service).await?);
        }
        // As the facade does.
        let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        match name {
            BARE => axum::serve(listener, router).await?,
            LAYER => {
                let telemetry = telemetry()?;
                let service = RequestMetricsLayer::new(telemetry.request_recorder()).layer(router);
                let boxed = |response: Response<_>| response.map(Body::new);
                let service = ServiceExt::<Request<Body>>::map_response(service, boxed);
                axum::serve(listener, Shared::new(service)).await?;
            }
            _ => bail!("there is no server `{name}`"),
        }
        Ok(())
    })
}

/// Telemetry that is on, and that nobody reads meanwhile.
fn telemetry() -> Result<Telemetry> {
    let provider = SdkMeterProvider::builder().with_reader(ManualReader::default()).build();
    let mut settings = Settings::default();
    settings.enabled = true;
    Ok(Telemetry::builder(settings).server("bench", "resources_servers").meter_provider(provider).start()?)
}
