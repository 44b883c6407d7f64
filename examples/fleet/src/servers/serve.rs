use std::{io::Write as _, net::Ipv4Addr, time::Duration};

use anyhow::{Context as _, Result, anyhow};
use axum::{body::Body, extract::Request, middleware};
use gym_telemetry::{
    StartupTimeline, Telemetry,
    conventions::EventLoop,
    tower::{MeteredRouter, RequestMetricsLayer},
};
use tokio::{io::AsyncReadExt as _, net::TcpListener};
use tower::{ServiceExt, make::Shared};

use super::{
    Account, Report, Role,
    agent::{self, Agent},
    chaos::{self, Dice},
    model::{self, Model},
    resources::{self, Resources},
};
use crate::{cli::Serve, client::Client, run::settings};

/// How long the last export may take.
const LAST_EXPORT: Duration = Duration::from_secs(5);

/// Runs one server until its supervisor closes its standard input.
pub(crate) async fn serve(server: Serve, mut startup: StartupTimeline) -> Result<()> {
    let settings = settings(server.config.as_deref())?;
    startup.mark("load_config");
    let role = server.role;
    let telemetry = Telemetry::builder(settings).server(&server.name, role.server_type().as_str()).start()?;
    telemetry.watch_runtime(EventLoop::Server.as_str())?;
    startup.mark("init_telemetry");
    let app = app(&server, &telemetry)?;
    startup.mark("init_server");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.context("cannot listen on loopback")?;
    startup.mark("bind");
    startup.report(telemetry.meter(), &server.name, role.server_type().as_str());
    say(&Report::Ready { address: listener.local_addr()? })?;

    serve_metered(listener, app, &telemetry).await?;
    let account = Account::from(telemetry.requests().snapshot());
    tokio::task::spawn_blocking(move || telemetry.shutdown(LAST_EXPORT)).await?.context("the last export failed")?;
    say(&Report::Done(account))
}

/// The routes of a server, in which requests may go wrong.
fn app(server: &Serve, telemetry: &Telemetry) -> Result<MeteredRouter> {
    let app = match server.role {
        Role::Model => {
            let rows = server.rows.as_deref().context("a model server needs --rows");
            model::routes(match &server.model_url {
                Some(url) => Model::remote(url),
                None if server.replay => Model::recording(rows?)?,
                None => Model::rule(rows?)?,
            })
        }
        Role::Resources => {
            let recording = server.rows.as_deref().filter(|_| server.replay);
            resources::routes(Resources::new(recording, server.verifiers, telemetry)?)
        }
        Role::Agent => {
            let url = |url: &Option<String>, name| url.clone().ok_or_else(|| anyhow!("an agent server needs {name}"));
            agent::routes(Agent {
                client: Client::new(),
                model_url: url(&server.model_url, "--model-url")?,
                resources_url: url(&server.resources_url, "--resources-url")?,
                metrics: telemetry.rollouts().clone(),
            })
        }
    };
    let chaos = middleware::from_fn_with_state(Dice::new(server.chaos), chaos::unsettle);
    Ok(app.map(|router| router.layer(chaos)))
}

/// Serves with the request layer around the whole router, until the supervisor has had enough.
async fn serve_metered(listener: TcpListener, app: MeteredRouter, telemetry: &Telemetry) -> Result<()> {
    let service = app.metered(RequestMetricsLayer::new(telemetry.request_recorder()))?;
    // `axum::serve` asks for axum's own body.
    let service = ServiceExt::<Request>::map_response(service, |response| response.map(Body::new));
    axum::serve(listener, Shared::new(service)).with_graceful_shutdown(stopped()).await?;
    Ok(())
}

/// Ends when standard input does: the supervisor closed it, or is gone.
async fn stopped() {
    let mut ignored = [0; 64];
    let mut input = tokio::io::stdin();
    while input.read(&mut ignored).await.is_ok_and(|read| read > 0) {}
}

fn say(report: &Report) -> Result<()> {
    let mut out = std::io::stdout().lock();
    serde_json::to_writer(&mut out, report)?;
    out.write_all(b"\n")?;
    out.flush()?;
    Ok(())
}
